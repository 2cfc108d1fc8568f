import Testing
import VStreamScene

@testable import VStreamReporting

/// The JSON of objects.
struct ObjectRecordTests {
  private func annotations(_ source: AnnotationSource, id: Int? = 3) -> FrameAnnotations {
    FrameAnnotations(
      frame: 4, time: Time(ticks: 12, base: .milliseconds), source: source,
      found: Observations(objects: [
        DetectedObject(
          id: id, classIndex: 2, label: "car", score: 0.912345,
          box: Box(x: -1.005, y: 2, width: 30.129, height: 40.5))
      ]))
  }

  @Test func `a frame's line has the contract's members in their order`() {
    #expect(
      jsonLine(FrameRecord(annotations(.detected))) == """
        {"type":"frame","frame":4,"pts":0.012,"ticks":12,"source":"detected","objects":\
        [{"id":3,"label":"car","score":0.9123,"box":[-1.0,2.0,30.13,40.5]}]}
        """)
  }

  @Test func `a detection of another class than the track's has its label as well`() {
    var frame = annotations(.detected)
    frame.found.objects?[0].detectedLabel = "truck"
    #expect(jsonLine(FrameRecord(frame)).contains(#""label":"car","detectedLabel":"truck","score":0.9123"#))
  }

  @Test func `a predicted frame marks each entry, and a missing ID is absent`() {
    #expect(
      jsonLine(FrameRecord(annotations(.predicted, id: nil))) == """
        {"type":"frame","frame":4,"pts":0.012,"ticks":12,"source":"predicted","objects":\
        [{"label":"car","score":0.9123,"box":[-1.0,2.0,30.13,40.5],"predicted":true}]}
        """)
  }

  @Test func `what was not requested is absent, what is empty is an empty list`() {
    var frame = FrameAnnotations(frame: 0, time: Time(ticks: 0, base: .milliseconds), source: .detected)
    #expect(!jsonLine(FrameRecord(frame)).contains("objects"))
    frame.found.objects = []
    #expect(jsonLine(FrameRecord(frame)).hasSuffix("\"objects\":[]}"))
  }
}
