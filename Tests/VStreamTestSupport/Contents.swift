import Foundation

/// The contents of a media file, by packet and frame, from one run of FFmpeg's ffprobe.
public struct Contents: Sendable {
  public struct Stream: Decodable, Sendable {
    public let index: Int
    public let codec_type: String
    public let codec_name: String?
    public let profile: String?
    public let width: Int?
    public let height: Int?
    public let pix_fmt: String?
    public let field_order: String?
    public let color_range: String?
    public let color_space: String?
    public let color_transfer: String?
    public let color_primaries: String?
    public let chroma_location: String?
    public let sample_aspect_ratio: String?
    public let sample_fmt: String?
    public let sample_rate: String?
    public let channels: Int?
    public let channel_layout: String?
    public let r_frame_rate: String?
    public let time_base: String
    public let start_time: String?
    public let duration: String?
    public let extradata_hash: String?
    public let disposition: [String: Int]?
    public let tags: [String: String]?
    /// Mastering display, content light, display matrix, …, without an order.
    public let side_data_list: [SideData]?

    /// Seconds per tick, as a fraction.
    public var base: (numerator: Int, denominator: Int) {
      let parts = time_base.split(separator: "/").compactMap { Int($0) }
      return parts.count == 2 ? (parts[0], parts[1]) : (0, 1)
    }

    /// Whether it is a cover image.
    public var isPicture: Bool { disposition?["attached_pic"] == 1 }
  }

  /// Its side data, as text by name.
  public struct SideData: Decodable, Sendable, Hashable {
    public let values: [String: String]

    private struct Name: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      var values: [String: String] = [:]
      for key in container.allKeys {
        if let number = try? container.decode(Double.self, forKey: key) {
          values[key.stringValue] = "\(number)"
        } else {
          values[key.stringValue] = Self.reduced(try container.decode(String.self, forKey: key))
        }
      }
      self.values = values
    }

    /// Converts fractions to numbers, so that equal fractions compare equal.
    private static func reduced(_ text: String) -> String {
      let parts = text.split(separator: "/").map { Double($0) }
      guard parts.count == 2, let one = parts[0], let other = parts[1], other != 0 else { return text }
      return "\(one / other)"
    }
  }

  public struct Packet: Sendable {
    public let ticks: Int?
    /// In ticks.
    public let duration: Int?
    public let size: Int
    public let hash: String
  }

  public struct Frame: Sendable {
    public let ticks: Int?
    /// Of audio; 0 for video.
    public let samples: Int
    public let isInterlaced: Bool
    public let sideData: [SideData]
  }

  public struct Chapter: Decodable, Sendable, Hashable {
    public let start_time: String
    public let end_time: String
    public let tags: [String: String]?
  }

  public let streams: [Stream]
  public let chapters: [Chapter]
  public let tags: [String: String]
  /// The time in seconds at which the file ends.
  public let duration: Double?
  /// The time of its first packet in seconds, 0 if that is negative.
  public let start: Double
  /// By the stream's number.
  public private(set) var packets: [Int: [Packet]] = [:]
  public private(set) var frames: [Int: [Frame]] = [:]

  private struct Answer: Decodable {
    struct Item: Decodable {
      let type: String
      let stream_index: Int?
      let pts: Int?
      let duration: Int?
      let best_effort_timestamp: Int?
      let size: String?
      let data_hash: String?
      let nb_samples: Int?
      let interlaced_frame: Int?
      let side_data_list: [SideData]?
    }
    struct Format: Decodable {
      let start_time: String?
      let duration: String?
      let tags: [String: String]?
    }
    let packets_and_frames: [Item]
    let streams: [Stream]
    let chapters: [Chapter]
    let format: Format
  }

  /// - Parameters:
  ///   - location: as ffprobe takes it.
  ///   - folder: the folder that relative names refer to.
  public init(_ location: String, in folder: String? = nil) throws {
    let shown =
      "packet=stream_index,pts,duration,size,data_hash:packet_side_data=:frame=stream_index,best_effort_timestamp,nb_samples,"
      + "interlaced_frame:frame_side_data"
    // Not every version of FFmpeg stores, or obeys, how many samples at the start to skip, so none are skipped.
    let what = [
      "-flags2", "+skip_manual", "-show_streams", "-show_format", "-show_chapters", "-show_data_hash", "MD5",
      "-show_entries", shown,
    ]
    let result = try Program.run(
      "/usr/bin/env", ["ffprobe", "-v", "error"] + what + ["-of", "json", location], folder: folder)
    guard result.status == 0 else { throw ProgramFailure(description: "ffprobe \(location): \(result.errors)") }
    let answer = try JSONDecoder().decode(Answer.self, from: result.output)
    streams = answer.streams
    chapters = answer.chapters
    tags = answer.format.tags ?? [:]
    duration = Probe.end(location, streams.map { ($0.start_time, $0.duration) }, format: answer.format.duration)
    start = max(0, answer.format.start_time.flatMap(Double.init) ?? 0)
    for item in answer.packets_and_frames {
      guard let index = item.stream_index else { continue }
      if item.type == "packet" {
        let packet = Packet(
          ticks: item.pts, duration: item.duration, size: item.size.flatMap { Int($0) } ?? 0, hash: item.data_hash ?? ""
        )
        packets[index, default: []].append(packet)
      } else {
        let frame = Frame(
          ticks: item.best_effort_timestamp, samples: item.nb_samples ?? 0, isInterlaced: item.interlaced_frame == 1,
          sideData: item.side_data_list ?? [])
        frames[index, default: []].append(frame)
      }
    }
  }
}
