public import VStreamScene
internal import VStreamSystem

/// Records as JSON lines, without a file; each line without its line feed.
public enum RecordText {
  public static func line(_ header: RecordHeader) -> String { text { JSONRecord.add(header, to: &$0) } }

  public static func line(_ record: FrameRecord) -> String { text { JSONRecord.add(record, to: &$0) } }

  public static func line(_ event: TrackEvent) -> String { text { JSONRecord.add(event, to: &$0) } }

  private static func text(_ body: (inout TextBuffer) -> Void) -> String {
    var buffer = TextBuffer()
    body(&buffer)
    return buffer.text
  }
}
