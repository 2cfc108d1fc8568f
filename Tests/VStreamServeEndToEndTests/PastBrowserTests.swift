import Foundation
import Testing
import VStreamTestSupport

@testable import VStreamServe

/// Recordings on the page, in a real browser.
@Suite(.serialized) struct PastBrowserTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Waits until the camera's recordings have a number of seconds.
  ///
  /// - Returns: the start of the first one.
  private func waitForRecording(_ seconds: Double, _ program: ServeProgram) throws -> Double {
    var start: Double?
    try program.waitUntil("a") { _ in
      let answer = try? program.request("GET", "/api/v1/recordings").text
      guard let file = answer?.firstMatch(of: /"start":([0-9.]+),"end":([0-9.]+)/), let first = Double(file.1),
        let end = Double(file.2), end - first >= seconds
      else { return false }
      start = first
      return true
    }
    return try #require(start)
  }

  /// Seeks to moments and reads the number that is burnt into the frame, and the record that is drawn over it: for a file, records
  /// count its frames from 0.
  @Test func `boxes of recorded frames are of the very frame, on the page and in what is saved`() throws {
    let program = try ServeProgram([
      folder.write(
        "c.yaml",
        """
        recordings: {path: '\(folder.file("recordings"))', min-free: 0MB}
        cameras: {a: {source: '\(Clips.numbered(in: folder))', detect: none, record: {mode: always}}}
        """)
    ])
    let start = try waitForRecording(8, program)
    let browser = try WebBrowser()
    try browser.open("http://127.0.0.1:\(program.port)/#a@\(start + 1)")
    try browser.wait(for: "past && past.player && past.player.shown && past.player.video.readyState >= 2")
    let result = try browser.runUntilDone(
      """
      const player = past.player, canvas = new OffscreenCanvas(320, 240), found = [];
      const context = canvas.getContext('2d', { willReadFrequently: true });
      const sample = async index => {
        const shown = new Promise(resolve => player.video.requestVideoFrameCallback(() => setTimeout(resolve, 0)));
        await player.seek(\(start) + 0.02 + 0.04 * (1 + (index * 37) % 170), false);
        await shown;
        context.drawImage(player.video, 0, 0, 320, 240);
        let number = 0;
        for (let bit = 0; bit < 9; bit++) if (context.getImageData(32 * bit + 16, 16, 1, 1).data[0] > 128) number |= 1 << bit;
        found.push([number, player.shown ? player.shown.frame : -1]);
        if (found.length < 100) sample(found.length); else done(found);
      };
      player.video.pause();
      sample(0);
      """)
    let samples = try #require(result as? [[Int]])
    #expect(samples.count == 100 && samples.filter { $0[0] != $0[1] }.isEmpty, "\(samples.filter { $0[0] != $0[1] })")
    #expect(Set(samples.map { $0[0] }).count > 90)
    // Frame by frame, by the keys.
    let frame = "past.player.shown && past.player.shown.frame"
    let before = try #require(try browser.run("return \(frame)") as? Int)
    for key in [".", ".", ","] { try browser.press(key) }
    try browser.wait(for: "\(frame) === \(before + 1)")
    try browser.press("l")
    try browser.wait(
      for: "!past.player && tiles.get('a').player && document.getElementById('moment').textContent === 'Live'")
    #expect(try browser.messages() == [])

    let saved = folder.file("saved.mp4")
    let address = "/api/v1/recordings/a/video.mp4?from=\(start + 2)&to=\(start + 5)"
    let status = try Program.run(
      "/usr/bin/env", ["curl", "-sf", "-o", saved, "http://127.0.0.1:\(program.port)\(address)"]
    ).status
    #expect(status == 0)
    let pixels = try Program.run(
      "/usr/bin/env",
      ["ffmpeg", "-v", "error", "-i", saved, "-vf", "crop=288:32:0:0,scale=9:1:flags=area,format=gray"]
        + ["-f", "rawvideo", "-"])
    let numbers = stride(from: 0, to: pixels.output.count - 8, by: 9).map { offset in
      (0..<9).reduce(0) { $0 | (pixels.output[offset + $1] > 128 ? 1 << $1 : 0) }
    }
    #expect(pixels.errors == "" && numbers.count >= 75 && numbers.first.map { $0 % 25 == 0 } == true, "\(numbers)")
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 }, "\(numbers)")
    #expect(program.stop() == 130)
  }
}
