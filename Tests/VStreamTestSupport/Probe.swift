import Foundation

/// A media file as FFmpeg's ffprobe sees it.
public struct Probe {
  public struct Stream: Decodable, Sendable {
    public let index: Int
    public let codec_type: String
    public let codec_name: String?
    public let codec_tag_string: String?
    public let width: Int?
    public let height: Int?
    public let pix_fmt: String?
    public let color_range: String?
    public let color_space: String?
    public let color_transfer: String?
    public let color_primaries: String?
    public let sample_aspect_ratio: String?
    public let avg_frame_rate: String?
    public let time_base: String?
    public let start_time: String?
    public let duration: String?
    public let tags: [String: String]?
  }

  private struct Answer: Decodable {
    struct Format: Decodable {
      let duration: String?
      let tags: [String: String]?
    }
    let streams: [Stream]
    let format: Format?
  }

  public let path: String
  public let streams: [Stream]
  public let formatTags: [String: String]
  /// The time in seconds at which the file ends.
  public let duration: Double?

  public init(_ path: String) throws {
    self.path = path
    let result = try Self.ffprobe(["-show_streams", "-show_format", "-of", "json", path])
    let answer = try JSONDecoder().decode(Answer.self, from: result)
    streams = answer.streams
    formatTags = answer.format?.tags ?? [:]
    duration = Self.end(path, streams.map { ($0.start_time, $0.duration) }, format: answer.format?.duration)
  }

  /// The time at which a file ends. FFmpeg 7 reports the duration of MP4 without the time before its start, other versions and
  /// formats with it.
  ///
  /// - Parameters:
  ///   - streams: their start times and durations.
  ///   - format: the duration of the whole.
  static func end(_ path: String, _ streams: [(start: String?, duration: String?)], format: String?) -> Double? {
    let duration = format.flatMap(Double.init)
    guard [".mp4", ".mov"].contains(where: path.hasSuffix) else { return duration }
    let ends = streams.compactMap { stream in
      stream.start.flatMap(Double.init).flatMap { start in stream.duration.flatMap(Double.init).map { start + $0 } }
    }
    return ends.max() ?? duration
  }

  public var video: Stream? { streams.first { $0.codec_type == "video" } }
  public var audio: [Stream] { streams.filter { $0.codec_type == "audio" } }

  /// Presentation times in seconds of the decoded frames of a stream, in the order they are shown.
  public func frameTimes(_ stream: String = "v:0") throws -> [Double] {
    let text = try Self.ffprobe([
      "-select_streams", stream, "-show_entries", "frame=best_effort_timestamp_time", "-of", "csv=p=0", path,
    ])
    return String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap {
      Double($0.split(separator: ",").first ?? "")
    }
  }

  /// Presentation time, in seconds, and size of the packets of a stream.
  public func packets(_ stream: String) throws -> [(time: Double?, size: Int)] {
    let text = try Self.ffprobe([
      "-select_streams", stream, "-show_entries", "packet=pts_time,size", "-of", "csv=p=0", path,
    ])
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      return (Double(fields[0]), fields.count > 1 ? Int(fields[1]) ?? 0 : 0)
    }
  }

  private static func ffprobe(_ arguments: [String]) throws -> Data {
    let result = try Program.run("/usr/bin/env", ["ffprobe", "-v", "error"] + arguments)
    guard result.status == 0 else { throw ProgramFailure(description: "ffprobe \(arguments): \(result.errors)") }
    return result.output
  }
}
