import Testing
import VStreamCore
import VStreamDetection

@Suite struct ClassListTests {
  @Test func cocoHas80NamesAllDifferent() {
    #expect(ClassList.coco.names.count == 80)
    #expect(Set(ClassList.coco.names).count == 80)
  }

  @Test func labelMapNumbersEachOfThe80Once() {
    #expect(ClassList.cocoLabelMap.count == 91)
    #expect(ClassList.cocoLabelMap.compactMap { $0 } == Array(0..<80))
  }

  @Test(arguments: [
    (1, "person"), (2, "bicycle"), (11, "fire hydrant"), (13, "stop sign"), (25, "giraffe"), (27, "backpack"),
    (28, "umbrella"), (31, "handbag"), (44, "bottle"), (46, "wine glass"), (65, "bed"), (67, "dining table"),
    (70, "toilet"), (72, "tv"), (82, "refrigerator"), (84, "book"), (90, "toothbrush"),
  ])
  func numberOfTheLabelMapHasItsName(number: Int, name: String) {
    #expect(ClassList.cocoLabelMap[number].map { ClassList.coco.names[$0] } == name)
  }

  @Test(arguments: [0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83])
  func backgroundAndUnusedNumbersAreNoClasses(number: Int) {
    #expect(ClassList.cocoLabelMap[number] == nil)
  }

  @Test(
    arguments: [
      ([], []), (["person"], [0]), (["Person", "CAR"], [0, 2]), (["car", "car"], [2]), (["toothbrush"], [79]),
      (["traffic light"], [9]),
    ] as [([String], Set<Int>)])
  func findsNames(wanted: [String], expected: Set<Int>) throws {
    #expect(try ClassList.coco.indices(of: wanted) == expected)
  }

  @Test(
    arguments: [
      (["cat"], [0]), (["Cat", "GRÜNER HUND"], [0, 2]), (["grüner hund"], [2]), (["class 1"], [1, 3]),
    ] as [([String], Set<Int>)])
  func `a model's own names are found however they are written`(wanted: [String], expected: Set<Int>) throws {
    #expect(try ClassList(["Cat", "Class 1", "Grüner Hund", "class 1"]).indices(of: wanted) == expected)
  }

  @Test func `a name is suggested as the model has it`() {
    let error = #expect(throws: VStreamError.self) { try ClassList(["Cat", "Dog"]).indices(of: ["catt"]) }
    #expect(error?.remedy == "did you mean Cat?")
  }

  struct Unknown: Sendable, CustomTestStringConvertible {
    let name: String
    let remedy: String
    var testDescription: String { name }
  }

  static let unknown = [
    Unknown(name: "persn", remedy: "did you mean person?"),
    Unknown(name: "perosn", remedy: "did you mean person?"),
    Unknown(name: "light", remedy: "did you mean traffic light?"),
    Unknown(name: "racing car", remedy: "did you mean car?"),
  ]

  @Test(arguments: unknown) func unknownNameIsAnsweredWithThoseLikeIt(_ unknown: Unknown) {
    let error = #expect(throws: VStreamError.self) { try ClassList.coco.indices(of: ["person", unknown.name]) }
    #expect(error?.code == .usage)
    #expect(error?.message == "'\(unknown.name)' is not a class of this model (classes)")
    #expect(error?.remedy == unknown.remedy)
  }

  @Test func unknownNameUnlikeAnyOtherIsAnsweredWithAllNames() {
    let error = #expect(throws: VStreamError.self) { try ClassList(["one", "two"]).indices(of: ["unicorns"]) }
    #expect(error?.remedy == "its classes are one, two")
  }

  @Test func emptyNameIsUnknown() {
    #expect(throws: VStreamError.self) { try ClassList.coco.indices(of: [""]) }
  }
}
