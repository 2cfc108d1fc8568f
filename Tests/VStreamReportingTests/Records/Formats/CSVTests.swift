import Testing
import VStreamCore

@testable import VStreamReporting

struct CSVTests {
  @Test func `the scene has a header line and a line for each observation`() throws {
    #expect(
      try RecordScene.text(".csv") == """
        frame,pts,source,kind,id,label,score,left,top,width,height,category,categoryScore,predicted
        0,0.0,detected,object,7,car,0.9124,-3.46,0.0,30.13,40.0,,,false
        0,0.0,detected,object,,"a ""b"", --> c",0.5,190.0,90.0,20.0,20.0,,,false
        0,0.0,detected,object,12,日本 ü,1.0,0.0,0.0,200.0,100.0,,,false
        0,0.0,detected,face,1,face,0.9813,10.0,20.0,30.0,40.0,,,false
        0,0.0,detected,pose,2,pose,0.75,1.0,2.0,3.0,4.0,,,false
        5000000000,3599.98,predicted,object,7,car,0.9124,-3.46,0.0,30.13,40.0,,,true

        """)
  }

  @Test func `a run without frames has the header line`() throws {
    #expect(
      try RecordScene.text(".csv", [])
        == "frame,pts,source,kind,id,label,score,left,top,width,height,category,categoryScore,predicted\n")
  }

  @Test func `categories and predicted objects have columns`() {
    var object = RecordScene.car
    (object.category, object.isPredicted) = (CategoryLabel(.homeGood, score: 0.87654), true)
    var table = CSVEncoder()
    let frame = RecordScene.frame(3, ticks: 120, .detected, Detections(objects: [object]))
    #expect(
      table.text(of: FrameRecord(frame))
        == "3,0.12,detected,object,7,car,0.9124,-3.46,0.0,30.13,40.0,home good,0.8765,true\n")
  }

  @Test(arguments: [
    ("a b", "a b"), ("a,b", "\"a,b\""), ("a\nb", "\"a\nb\""), ("a\rb", "\"a\rb\""), ("a\r\nb", "\"a\r\nb\""),
    ("\"", "\"\"\"\""), ("a\"\u{301}b", "\"a\"\"\u{301}b\""), ("", ""),
  ])
  func `fields with separators, quotes or line breaks are quoted`(text: String, quoted: String) {
    #expect(CSVEncoder.quoted(text) == quoted)
  }

  @Test(arguments: [
    ("=1+1", "\"'=1+1\""), ("+1", "\"'+1\""), ("-1", "\"'-1\""), ("@SUM(A1)", "\"'@SUM(A1)\""), ("\t=1", "\"'\t=1\""),
    ("=\u{301}1", "\"'=\u{301}1\""), ("=\"a\"", "\"'=\"\"a\"\"\""), ("a=1", "a=1"), ("", ""),
  ])
  func `labels that spreadsheets would calculate are text`(text: String, field: String) {
    #expect(CSVEncoder.label(text) == field)
  }
}
