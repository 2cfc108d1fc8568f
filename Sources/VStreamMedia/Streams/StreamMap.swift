internal import CVStreamLibAV
package import VStreamCore

/// The streams of an input that are processed and copied, by FFmpeg's stream specifiers.
package struct StreamMap: Hashable, Sendable {
  private struct Entry: Hashable {
    let text: String
    /// FFmpeg's specifier without the number of the input; empty for all streams.
    let specifier: String
    let isExclusion: Bool
    /// Whether it may select no stream.
    let isOptional: Bool
  }

  private let entries: [Entry]

  /// All streams.
  package init() { entries = [] }

  /// - Parameter texts: each `SPECIFIER` as of FFmpeg's `-map`, with or without the input's number, which is 0: `0:v:1`,
  ///   `a:m:language:eng`, `s?` (if there is any), `-0:d` (all but).
  /// - Throws: `VStreamError.usage` for another input than 0.
  package init(_ texts: [String]) throws(VStreamError) {
    entries = try texts.map(Self.entry)
  }

  private static func entry(_ text: String) throws(VStreamError) -> Entry {
    var rest = Substring(text)
    let isExclusion = rest.first == "-"
    if isExclusion { rest = rest.dropFirst() }
    let isOptional = rest.last == "?"
    if isOptional { rest = rest.dropLast() }
    let input = rest.prefix { $0.isASCII && $0.isNumber }
    if !input.isEmpty {
      let after = rest.dropFirst(input.count)
      guard Int(input) == 0, after.isEmpty || after.first == ":" else {
        throw VStreamError(
          .usage, "\(.map, text) names another input than the only one, which is 0", setting: .map, value: text,
          remedy: "write, for example, 0:v, 0:a:1 or a:1")
      }
      rest = after.dropFirst()
    }
    return Entry(text: text, specifier: String(rest), isExclusion: isExclusion, isOptional: isOptional || isExclusion)
  }

  /// Whether all streams are selected.
  var isAll: Bool { entries.isEmpty }

  /// The selected streams of an input, in the order of the map. A map that begins with an exclusion starts from all streams.
  ///
  /// - Throws: `VStreamError.usage` for a specifier that is invalid, or that selects no stream and is not optional.
  func select(
    from streams: [StreamInfo], of context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) -> [StreamInfo] {
    var selected = entries.first?.isExclusion ?? true ? streams : []
    for entry in entries {
      var matches: [StreamInfo] = []
      for stream in streams where try Self.matches(stream, entry, of: context) { matches.append(stream) }
      let indices = Set(matches.map(\.index))
      if entry.isExclusion {
        selected.removeAll { indices.contains($0.index) }
      } else if matches.isEmpty, !entry.isOptional {
        throw VStreamError(
          .usage, "\(.map, entry.text) selects no stream of the input: \(streams.map(\.label).joined(separator: ", "))",
          setting: .map, value: entry.text, remedy: "select one of these, or end it with a question mark")
      }
      if !entry.isExclusion { selected += matches.filter { match in !selected.contains { $0.index == match.index } } }
    }
    return selected
  }

  private static func matches(
    _ stream: StreamInfo, _ entry: Entry, of context: UnsafeMutablePointer<AVFormatContext>
  ) throws(VStreamError) -> Bool {
    let code = LibAVCode(
      avformat_match_stream_specifier(context, context.pointee.streams[stream.index], entry.specifier))
    guard !code.isFailure else {
      throw VStreamError(
        .usage, "\(.map, entry.text) is not a stream specifier of FFmpeg", setting: .map, value: entry.text,
        remedy: "write, for example, 0:v, 0:a:1 or 0:s:m:language:eng")
    }
    return code.rawValue > 0
  }
}
