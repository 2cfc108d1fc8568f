import Testing
import VStreamScene

@testable import VStreamReporting

struct COCOCategoryTests {
  @Test(arguments: [
    ("person", 1, "person"), ("Person", 1, "person"), ("bicycle", 2, "vehicle"), ("boat", 9, "vehicle"),
    ("traffic light", 10, "outdoor"), ("stop sign", 13, "outdoor"), ("bench", 15, "outdoor"), ("bird", 16, "animal"),
    ("backpack", 27, "accessory"), ("umbrella", 28, "accessory"), ("handbag", 31, "accessory"),
    ("frisbee", 34, "sports"), ("bottle", 44, "kitchen"), ("wine glass", 46, "kitchen"), ("banana", 52, "food"),
    ("chair", 62, "furniture"), ("bed", 65, "furniture"), ("dining table", 67, "furniture"),
    ("toilet", 70, "furniture"), ("tv", 72, "electronic"), ("microwave", 78, "appliance"),
    ("refrigerator", 82, "appliance"), ("book", 84, "indoor"), ("toothbrush", 90, "indoor"),
  ])
  func `COCO's classes have its own numbers and groups`(label: String, id: Int, group: String) {
    let category = COCOCategory(ofClass: label)
    #expect(category.id == id && category.supercategory == group)
  }

  /// Files that were written before stay mergeable only if these never change.
  @Test(arguments: [("helmet", 762_559_189_134), ("forklift", 1_006_900_809_451), ("日本 ü", 904_148_728_514)])
  func `another class has the same number in every run`(label: String, id: Int) {
    #expect(COCOCategory(ofClass: label).id == id)
    #expect(COCOCategory(ofClass: label).name == label)
  }

  @Test func `no two of many classes, faces and poses have the same number`() {
    let labels = COCOClasses.names + (0..<20_000).map { "class \($0)" } + ["face", "pose", "Helmet", "helmet", ""]
    let categories = labels.map { COCOCategory(ofClass: $0) } + [.face, .pose]
    #expect(Set(categories.map(\.id)).count == categories.count)
    #expect(categories.allSatisfy { (1...1 << 53).contains($0.id) })
  }
}
