import Foundation
import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamMedia

/// The units of H.264 and HEVC.
struct NALUnitsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Headers of files: lengths of one, two and four bytes, and none.
  private static func headers(isHEVC: Bool) -> [[UInt8]] {
    [0, 1, 3].map { size in
      isHEVC
        ? [1] + [UInt8](repeating: 0, count: 20) + [size, 0]
        : [1, 66, 0, 10, 0xfc | size, 0xe0, 0]
    } + [[]]
  }

  @Test(arguments: [false, true], 0..<20)
  func `units that are joined are separated again`(isHEVC: Bool, seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    for header in Self.headers(isHEVC: isHEVC) {
      let form = NALUnits(isHEVC: isHEVC, header: header)
      // The last byte of a unit is never 0, and none has a start code.
      let units = (0..<Int.random(in: 0..<6, using: &numbers)).map { _ in
        (0..<Int.random(in: 1..<60, using: &numbers)).map { _ in UInt8.random(in: 1...255, using: &numbers) }
      }
      #expect(form.units(in: form.joined(units)).map(Array.init) == units)
    }
  }

  @Test(
    arguments: [
      ([0, 0, 1, 5], [[5]]), ([0, 0, 0, 1, 5, 6, 0, 0, 1, 7], [[5, 6], [7]]),
      ([9, 9, 0, 0, 1, 5, 0, 0, 0, 0, 1], [[5], []]),
      ([0, 0, 1, 5, 6, 0, 0, 0], [[5, 6]]),
      ([0, 0], []), ([0, 0, 3, 0, 0, 1, 8], [[8]]),
    ] as [([UInt8], [[UInt8]])])
  func `start codes separate units`(bytes: [UInt8], units: [[UInt8]]) {
    #expect(NALUnits.separated(bytes).map(Array.init) == units)
  }

  @Test(
    arguments: [
      (nil, [0, 0, 0, 9, 5]), (0, [9, 5]), (1, [0, 1, 5, 0, 9]), (3, [0, 0, 0, 1, 5, 0, 0, 0, 200, 1]),
      (3, [255, 255, 255, 255]),
    ] as [(UInt8?, [UInt8])])
  func `lengths beyond the end are not followed`(size: UInt8?, bytes: [UInt8]) {
    let form = NALUnits(isHEVC: false, header: size.map { [1, 66, 0, 10, 0xfc | $0, 0xe0, 0] } ?? [])
    #expect(form.units(in: bytes).allSatisfy { $0.count == 1 })
  }

  /// The header of a file with H.264 or HEVC, and the packets of the video.
  private func file(isHEVC: Bool) throws -> (header: [UInt8], packets: [Packet]) {
    try Program.ffmpeg(
      Clip.video("64x48") + ["-pix_fmt", "yuv420p", "-c:v", isHEVC ? "libx265" : "libx264"]
        + (isHEVC ? ["-x265-params", "log-level=error"] : []) + [folder.file("a.mp4")])
    let reader = try MediaReader(MediaInput(folder.file("a.mp4")))
    var packets: [Packet] = []
    while case .packet(let packet) = try reader.next() { packets.append(packet) }
    return (reader.video.parameters.extradata, packets)
  }

  @Test(arguments: [false, true])
  func `sets of parameters are added to the header of a file, and cut headers are none`(isHEVC: Bool) throws {
    let header = try file(isHEVC: isHEVC).header
    let form = NALUnits(isHEVC: isHEVC, header: header)
    let own = form.sets(in: header)
    #expect(own.count == (isHEVC ? 3 : 2) && own.allSatisfy(form.isSet))
    let new = own.map { $0 + [1, 2, 3] }
    let wide = try #require(form.header(header, adding: new))
    #expect(Set(form.sets(in: wide)) == Set(own + new))
    #expect(wide.count == header.count + new.reduce(0) { $0 + $1.count + 2 })
    #expect(form.header(header, adding: []) == header)
    #expect(form.header(header, adding: [[1, 2]]) == nil, "no set")
    #expect(form.header(header, adding: [[UInt8]](repeating: own[0], count: 40)) == nil, "too many")
    for count in 0..<header.count - 1 {
      let cut = NALUnits(isHEVC: isHEVC, header: Array(header.prefix(count)))
      #expect(Set(cut.sets(in: Array(header.prefix(count)))).isSubset(of: own))
    }
  }

  @Test func `the sets of an HEVC encoder get the number 15, in every unit that names them`() throws {
    let (header, packets) = try file(isHEVC: true)
    let form = NALUnits(isHEVC: true, header: header)
    #expect(form.setNumbers(in: form.sets(in: header)) == [0])
    #expect(form.setNumbers(in: form.sets(in: header).compactMap { form.renumbered($0[...]) }) == [15])
    let units = form.sets(in: header).map { $0[...] } + packets.flatMap { form.units(in: $0.bytes) }
    let renumbered = NALUnits(isHEVC: true, header: []).joined(units.compactMap(form.renumbered))
    try Data(renumbered).write(to: URL(filePath: folder.file("a.hevc")))
    let trace = try Program.run(
      "/usr/bin/env",
      [
        "ffmpeg", "-nostdin", "-v", "verbose", "-i", folder.file("a.hevc"), "-c", "copy", "-bsf:v", "trace_headers",
        "-f", "null",
        "-",
      ]
    ).errors
    let names = ["vps_video_parameter_set_id", "sps_seq_parameter_set_id", "slice_pic_parameter_set_id"]
    for name in names + ["pps_pic_parameter_set_id", "pps_seq_parameter_set_id", "sps_video_parameter_set_id"] {
      let values = trace.split(separator: "\n").filter { $0.contains(" \(name) ") }.map {
        $0.split(separator: " ").last
      }
      #expect(!values.isEmpty && values.allSatisfy { $0 == "15" }, "\(name): \(values)")
    }
    let (before, after) = (try Decoded(folder.file("a.mp4")), try Decoded(folder.file("a.hevc")))
    #expect(before.frames.map(\.pixels) == after.frames.map(\.pixels) && after.damagedPackets == 0)
  }

  @Test(arguments: 0..<50)
  func `units of another form are not renumbered, and crash nothing`(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    let form = NALUnits(isHEVC: true, header: [])
    let unit = (0..<Int.random(in: 0..<40, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    let renumbered = form.renumbered(unit[...])
    #expect(renumbered == nil || renumbered?.first == unit.first)
    #expect(form.messages(in: [0, 0, 1, 39 << 1, 1] + unit).allSatisfy { $0.bytes.count <= unit.count })
  }
}
