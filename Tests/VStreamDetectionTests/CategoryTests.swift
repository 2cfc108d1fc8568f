import Testing
import VStreamScene
import VStreamTestSupport

@testable import VStreamDetection

/// Coarse categories: by class, by scores, and for how long one is kept.
struct CategoryTests {
  @Test(arguments: [
    ("banana", ObjectCategory.food), ("Hot Dog", .food), ("couch", .homeGood), ("handbag", .fashionGood),
    ("potted plant", .plant), ("person", .unknown), ("car", .unknown), ("teddy bear", .homeGood), ("no such", .unknown),
  ])
  func `a class is of the category that lists it`(name: String, category: ObjectCategory) {
    #expect(CategoryTable.category(ofClass: name) == category)
  }

  @Test(arguments: [
    (0, ObjectCategory.unknown), (399, .fashionGood), (409, .homeGood), (497, .place), (638, .fashionGood),
    (639, .fashionGood), (954, .food), (970, .place), (985, .plant), (987, .food), (999, .homeGood),
  ])
  func `ImageNet's numbers are those of its list`(number: Int, category: ObjectCategory) {
    #expect(CategoryTable.ofImageNet[number] == category)
  }

  @Test func `the table is read as it is written`() {
    let text = "food:\n  1 a b, 2 c\n  d, 3 e,\nplant:\n  4 f"
    let entries = CategoryTable.entries(of: text)
    #expect(entries.map(\.0) == [.food, .food, .food, .plant])
    #expect(entries.map(\.1) == ["1 a b", "2 c d", "3 e", "4 f"])
    #expect(CategoryTable.ofImageNet.count == 1000)
    let counts = ObjectCategory.allCases.map { category in CategoryTable.ofImageNet.count { $0 == category } }
    #expect(counts.allSatisfy { $0 >= 10 }, "\(counts)")
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// By ImageNet's number.
    let scores: [Int: Float]
    let expected: CategoryLabel
  }

  @Test(arguments: [
    Row(testDescription: "nothing at all", scores: [:], expected: CategoryLabel(.unknown, score: 0)),
    Row(testDescription: "one class", scores: [954: 200], expected: CategoryLabel(.food, score: 1)),
    Row(
      testDescription: "several of one category", scores: [948: 40, 950: 40, 951: 20, 0: 30, 404: 20],
      expected: CategoryLabel(.food, score: 100.0 / 150)),
    Row(
      testDescription: "mostly of none", scores: [954: 40, 0: 160], expected: CategoryLabel(.unknown, score: 0.8)),
    Row(
      testDescription: "too little of any", scores: [954: 26, 409: 25, 399: 25, 497: 24],
      expected: CategoryLabel(.unknown, score: 0.26)),
  ])
  func `scores are summed up by category`(row: Row) {
    var scores = [Float](repeating: 0, count: 1000)
    for (number, score) in row.scores { scores[number] = score }
    let label = CategoryClassifier.category(ofScores: scores)
    #expect(label.category == row.expected.category)
    #expect(abs(label.score - row.expected.score) < 1e-6)
  }

  /// A thing of no category by its class, with an ID.
  private func thing(_ id: Int?, side: Double = 10, label: String = "car") -> DetectedObject {
    DetectedObject(id: id, classIndex: 0, label: label, score: 0.9, box: Box(x: 0, y: 0, width: side, height: side))
  }

  @Test func `a thing is looked at once, and again when it has grown or is another`() {
    var categoriser = TrackCategories()
    var looks = 0
    func step(_ object: DetectedObject, isSeen: Bool = true) -> Int {
      let before = looks
      _ = categoriser.categorise([object], isSeen: isSeen) { _ in
        looks += 1
        return CategoryLabel(.place, score: 0.5)
      }
      return looks - before
    }
    let steps: [(DetectedObject, Bool)] = [
      (thing(1), true), (thing(1), true), (thing(1, side: 13), true), (thing(1, side: 15), true),
      (thing(1, side: 15), true), (thing(1, side: 40), false), (thing(1, side: 40), true),
      (thing(1, side: 40, label: "truck"), true), (thing(2), true), (thing(2), true), (thing(3), false),
    ]
    #expect(steps.map { step($0.0, isSeen: $0.1) } == [1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0])
    categoriser.forget([2])
    #expect(step(thing(2)) == 1)
    #expect([step(thing(nil)), step(thing(nil))] == [1, 1], "without IDs each is another")
  }

  @Test func `a class says more than a look`() {
    var categoriser = TrackCategories()
    let objects = categoriser.categorise([thing(1, label: "banana"), thing(2)], isSeen: true) { _ in
      CategoryLabel(.place, score: 0.5)
    }
    #expect(objects.map(\.category) == [CategoryLabel(.food, score: 0.9), CategoryLabel(.place, score: 0.5)])
  }

  @Test func `what is not seen keeps what is known of it`() {
    var categoriser = TrackCategories()
    _ = categoriser.categorise([thing(1)], isSeen: true) { _ in CategoryLabel(.plant, score: 0.7) }
    let later = categoriser.categorise([thing(1), thing(2)], isSeen: false) { _ in CategoryLabel(.food, score: 1) }
    #expect(later.map(\.category?.category) == [.plant, .unknown])
  }
}
