/// A file's name and its extension.
struct NameParts {
  let name: String
  private let fileExtension: String

  init(_ file: String) {
    if let dot = file.lastIndex(of: "."), dot != file.startIndex {
      (name, fileExtension) = (String(file[..<dot]), file[file.index(after: dot)...].lowercased())
    } else {
      (name, fileExtension) = (file, "")
    }
  }

  /// The output's extension: the same, if its format can hold what vstream encodes.
  var outputExtension: String {
    let same = ["mp4", "mov", "mkv", "webm", "ts", "jpg", "jpeg", "png", "bmp"]
    return same.contains(fileExtension) ? fileExtension : "mp4"
  }
}
