internal import struct FoundationEssentials.URL

extension URL {
  /// The path of a file, or the whole URL.
  var location: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}
