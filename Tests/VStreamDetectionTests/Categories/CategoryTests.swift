import Testing
import VStreamCore
import VStreamTestSupport

@testable import VStreamDetection

/// Coarse categories: by class, by scores, and when a track is classified again.
struct CategoryTests {
  @Test(arguments: [
    ("banana", ObjectCategory.food), ("Hot Dog", .food), ("couch", .homeGood), ("handbag", .fashionGood),
    ("potted plant", .plant), ("person", .unknown), ("car", .unknown), ("teddy bear", .homeGood), ("no such", .unknown),
  ])
  func `a class has the category that lists it`(name: String, category: ObjectCategory) {
    #expect(CategoryTable.category(ofClass: name) == category)
  }

  @Test(arguments: [
    (0, ObjectCategory.unknown), (399, .fashionGood), (409, .homeGood), (497, .place), (638, .fashionGood),
    (639, .fashionGood), (954, .food), (970, .place), (985, .plant), (987, .food), (999, .homeGood),
  ])
  func `ImageNet's numbers are those of its list`(number: Int, category: ObjectCategory) {
    #expect(CategoryTable.ofImageNet[number] == category)
  }

  @Test func `the category table is parsed`() {
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
      testDescription: "mostly without a category", scores: [954: 40, 0: 160],
      expected: CategoryLabel(.unknown, score: 0.8)),
    Row(
      testDescription: "no category with enough score", scores: [954: 26, 409: 25, 399: 25, 497: 24],
      expected: CategoryLabel(.unknown, score: 0.26)),
  ])
  func `scores are summed up by category`(row: Row) {
    var scores = [Float](repeating: 0, count: 1000)
    for (number, score) in row.scores { scores[number] = score }
    let label = CategoryClassifier.category(ofScores: scores)
    #expect(label.category == row.expected.category)
    #expect(abs(label.score - row.expected.score) < 1e-6)
  }

  /// An object whose class has no category.
  private func object(_ id: Int?, side: Double = 10, label: String = "car") -> DetectedObject {
    DetectedObject(id: id, classIndex: 0, label: label, score: 0.9, box: Box(x: 0, y: 0, width: side, height: side))
  }

  @Test func `a track is classified once, and again when it has grown or changes its class`() {
    var cache = TrackCategoryCache()
    var inferences = 0
    func step(_ object: DetectedObject, isDetected: Bool = true) -> Int {
      let before = inferences
      _ = cache.categorise([object], isDetected: isDetected) { _ in
        inferences += 1
        return CategoryLabel(.place, score: 0.5)
      }
      return inferences - before
    }
    let steps: [(DetectedObject, Bool)] = [
      (object(1), true), (object(1), true), (object(1, side: 13), true), (object(1, side: 15), true),
      (object(1, side: 15), true), (object(1, side: 40), false), (object(1, side: 40), true),
      (object(1, side: 40, label: "truck"), true), (object(2), true), (object(2), true), (object(3), false),
    ]
    #expect(steps.map { step($0.0, isDetected: $0.1) } == [1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0])
    cache.forget([2])
    #expect(step(object(2)) == 1)
    #expect([step(object(nil)), step(object(nil))] == [1, 1], "objects without an ID are not cached")
  }

  @Test func `a class with a category needs no inference`() {
    var cache = TrackCategoryCache()
    let objects = cache.categorise([object(1, label: "banana"), object(2)], isDetected: true) { _ in
      CategoryLabel(.place, score: 0.5)
    }
    #expect(objects.map(\.category) == [CategoryLabel(.food, score: 0.9), CategoryLabel(.place, score: 0.5)])
  }

  @Test func `a predicted object keeps its category`() {
    var cache = TrackCategoryCache()
    _ = cache.categorise([object(1)], isDetected: true) { _ in CategoryLabel(.plant, score: 0.7) }
    let later = cache.categorise([object(1), object(2)], isDetected: false) { _ in CategoryLabel(.food, score: 1) }
    #expect(later.map(\.category?.category) == [.plant, .unknown])
  }
}
