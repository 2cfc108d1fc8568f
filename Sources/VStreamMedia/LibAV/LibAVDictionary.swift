internal import CVStreamLibAV

/// Runs `body` with a libav dictionary of `options`, of which libav's functions remove those that they apply.
///
/// - Returns: What `body` returns, and the names of the options that are left.
func withDictionary<R, Failure: Error>(
  _ options: [(key: String, value: String)], _ body: (UnsafeMutablePointer<OpaquePointer?>) throws(Failure) -> R
) throws(Failure) -> (result: R, unused: [String]) {
  var dictionary: OpaquePointer?
  defer { av_dict_free(&dictionary) }
  for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
  let result = try body(&dictionary)
  return (result, entries(of: dictionary).map(\.key))
}

/// The entries of a libav dictionary in their order; empty for `nil`.
func entries(of dictionary: OpaquePointer?) -> [(key: String, value: String)] {
  var result: [(key: String, value: String)] = []
  var entry = av_dict_get(dictionary, "", nil, AV_DICT_IGNORE_SUFFIX)
  while let found = entry {
    result.append((String(cString: found.pointee.key), String(cString: found.pointee.value)))
    entry = av_dict_get(dictionary, "", found, AV_DICT_IGNORE_SUFFIX)
  }
  return result
}

extension [String: String] {
  /// The entries of a libav dictionary; of entries with one name, the last.
  init(_ dictionary: OpaquePointer?) {
    self.init(entries(of: dictionary).map { ($0.key, $0.value) }) { $1 }
  }
}
