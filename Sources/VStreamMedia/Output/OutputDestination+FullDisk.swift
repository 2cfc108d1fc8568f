internal import VStreamScene
internal import VStreamSystem

extension OutputDestination {
  /// The error of a disk without space for this output; an output of which nothing was written is removed.
  func fullDisk(_ code: VStreamError.Code, remedy: Message = "") -> VStreamError {
    let what: Message =
      "\(location == "-" ? "standard output" : "'\(shownLocation)'") cannot be written: the disk is full"
    guard let partPath else {
      return VStreamError(code, what, subject: location, remedy: "free some space and run it again")
    }
    let space = FreeSpace(partPath)
    let problem: Message = "\(what) (\(space))"
    if space.written == 0 { PartFile.remove(partPath) }
    guard space.written ?? 0 > 0 else {
      return VStreamError(code, problem, subject: location, remedy: "free some space there")
    }
    let retry: Message = "free some space and run it again with \(.overwrite)"
    return VStreamError(code, problem, subject: location, remedy: remedy.isEmpty ? retry : "\(remedy); \(retry)")
  }
}
