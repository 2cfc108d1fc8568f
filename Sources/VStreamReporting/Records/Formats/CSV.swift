internal import VStreamCore
internal import VStreamSystem

/// A CSV table (RFC 4180) with a header line and one line per object, face or pose of each frame.
struct CSVEncoder: RecordEncoder {
  static let format = RecordFormat("CSV", fileNameEndings: [".csv"])

  mutating func begin(_ header: RecordHeader, in text: inout TextBuffer) {
    text.append("frame,pts,source,kind,id,label,score,left,top,width,height,category,categoryScore,predicted\n")
  }

  mutating func encode(_ record: FrameRecord, to text: inout TextBuffer) {
    let annotations = record.annotations
    annotations.found.forEachEntry { entry in
      text.append(annotations.frame)
      text.append(",")
      text.append(annotations.time.seconds, places: 6)
      text.append(",")
      text.append(annotations.source.rawValue)
      text.append(",")
      text.append(entry.kindName)
      text.append(",")
      if let id = entry.id { text.append(id) }
      text.append(",")
      text.append(Self.label(entry.label))
      text.append(",")
      text.append(entry.score, places: 4)
      text.append(",")
      entry.box.forEachNumber { number in
        text.append(number, places: 2)
        text.append(",")
      }
      if let category = entry.category {
        text.append(category.category.rawValue)
        text.append(",")
        text.append(category.score, places: 4)
      } else {
        text.append(",")
      }
      let isPredicted = entry.isPredicted || annotations.source == .predicted
      text.append(isPredicted ? ",true\n" : ",false\n")
    }
  }

  /// A label, which may come from a model file.
  ///
  /// Spreadsheets calculate fields that begin with one of these, and show text after an apostrophe unchanged. Source: OWASP, "CSV
  /// Injection".
  static func label(_ text: String) -> String {
    guard let first = text.unicodeScalars.first, "=+-@\t\r\n".unicodeScalars.contains(first) else {
      return quoted(text)
    }
    let field = quoted("'" + text)
    return field.hasPrefix("\"") ? field : "\"\(field)\""
  }

  /// A field's text, in quotes if it contains a separator, a quote or a line break.
  static func quoted(_ text: String) -> String {
    // Compares scalars, since `Character` treats a carriage return and a line feed after it as one.
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted += "\"" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
