/// The record formats: one file in `Formats` and one line here for each.
enum RecordFormatRegistry {
  static let encoders: [any RecordEncoder.Type] = [
    JSONLinesEncoder.self,
    MOTChallengeEncoder.self,
    CSVEncoder.self,
    WebVTTEncoder.self,
    COCOEncoder.self,
    KITTIEncoder.self,
    YOLOEncoder.self,
  ]
}
