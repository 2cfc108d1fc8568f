import Glibc

/// The target that `VSTREAM_FUZZ_TARGET` names.
private let selected: FuzzTarget = {
  let name = getenv("VSTREAM_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
    stop("VSTREAM_FUZZ_TARGET '\(name)' is not one of \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
  }
  return target
}()

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try selected.run(Array(UnsafeBufferPointer(start: data, count: count)))
  } catch {
    // libFuzzer saves the input of a process that aborts.
    stop("finding: \(error)")
  }
  return 0
}

private func stop(_ message: String) -> Never {
  let line = message + "\n"
  write(STDERR_FILENO, line, line.utf8.count)
  abort()
}
