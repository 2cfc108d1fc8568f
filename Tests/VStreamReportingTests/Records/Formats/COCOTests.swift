import Foundation
import Testing
import VStreamCore

@testable import VStreamReporting

struct COCOTests {
  private static let keypointNames =
    #"["nose","left_eye","right_eye","left_ear","right_ear","left_shoulder","right_shoulder","left_elbow","#
    + #""right_elbow","left_wrist","right_wrist","left_hip","right_hip","left_knee","right_knee","left_ankle","#
    + #""right_ankle"]"#
  private static let skeleton =
    "[[16,14],[14,12],[17,15],[15,13],[12,13],[6,12],[7,13],[6,7],[6,8],[7,9],[8,10],[9,11],[2,3],[1,2],[1,3],[2,4],"
    + "[3,5],[4,6],[5,7]]"

  @Test func `the scene is one object of annotations, images and categories`() throws {
    let zeros = [String](repeating: "0,0,0", count: 15).joined(separator: ",")
    let image = #""width":200,"height":100,"pts":"#
    let name = #""file_name":"Straße \"7\".mp4#"#
    let car =
      #""bbox":[-3.46,0.0,30.13,40.0],"segmentation":[[-3.46,0.0,26.67,0.0,26.67,40.0,-3.46,40.0]],"area":1205.04,"#
      + #""iscrowd":0,"score":0.9124,"track_id":7"#
    let quoted = COCOCategory(ofClass: "a \"b\", --> c").id
    let foreign = COCOCategory(ofClass: "日本 ü").id
    let expected: [String] = [
      #"{"info":{"description":"Straße \"7\".mp4"},"annotations":["#,
      #"{"id":1,"image_id":1,"category_id":3,\#(car)},"#,
      #"{"id":2,"image_id":1,"category_id":\#(quoted),"bbox":[190.0,90.0,20.0,20.0],"#
        + #""segmentation":[[190.0,90.0,210.0,90.0,210.0,110.0,190.0,110.0]],"area":400.0,"iscrowd":0,"score":0.5},"#,
      #"{"id":3,"image_id":1,"category_id":\#(foreign),"bbox":[0.0,0.0,200.0,100.0],"#
        + #""segmentation":[[0.0,0.0,200.0,0.0,200.0,100.0,0.0,100.0]],"area":20000.0,"iscrowd":0,"score":1.0,"#
        + #""track_id":12},"#,
      #"{"id":4,"image_id":1,"category_id":201,"bbox":[10.0,20.0,30.0,40.0],"#
        + #""segmentation":[[10.0,20.0,40.0,20.0,40.0,60.0,10.0,60.0]],"area":1200.0,"iscrowd":0,"score":0.9813,"#
        + #""track_id":1000000001},"#,
      #"{"id":5,"image_id":1,"category_id":202,"bbox":[1.0,2.0,3.0,4.0],"#
        + #""segmentation":[[1.0,2.0,4.0,2.0,4.0,6.0,1.0,6.0]],"area":12.0,"iscrowd":0,"score":0.75,"#
        + #""keypoints":[1.5,-2.0,2,\#(zeros),4.0,600.0,1],"num_keypoints":2,"track_id":2000000002},"#,
      #"{"id":6,"image_id":5000000001,"category_id":3,\#(car),"predicted":true}"#,
      #"],"images":["#,
      #"{"id":1,\#(name)0",\#(image)0.0},"#,
      #"{"id":2,\#(name)1",\#(image)0.04},"#,
      #"{"id":5000000001,\#(name)5000000000",\#(image)3599.98}"#,
      #"],"categories":[{"id":3,"name":"car","supercategory":"vehicle"},"#
        + #"{"id":201,"name":"face","supercategory":"person"},"#
        + #"{"id":202,"name":"pose","supercategory":"person","keypoints":\#(Self.keypointNames),"skeleton":\#(Self.skeleton)},"#
        + [
          (quoted, #"{"id":\#(quoted),"name":"a \"b\", --> c","supercategory":"object"}"#),
          (foreign, #"{"id":\#(foreign),"name":"日本 ü","supercategory":"object"}"#),
        ].sorted { $0.0 < $1.0 }.map(\.1).joined(separator: ",") + "]}",
      "",
    ]
    #expect(try RecordScene.text(".json").components(separatedBy: "\n") == expected)
  }

  @Test func `an image file is named by its frame's record`() throws {
    var record = RecordScene.frames[0]
    record.imageName = "frame-00017.png"
    let parsed = try JSONSerialization.jsonObject(with: Data(RecordScene.text(".json", [record]).utf8))
    let images = (parsed as? [String: Any])?["images"] as? [[String: Any]]
    #expect(images?.map { $0["file_name"] as? String } == ["frame-00017.png"])
  }

  @Test func `a run without frames has empty lists`() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(RecordScene.text(".json", []).utf8)) as? [String: Any]
    let lists = parsed?.compactMapValues { ($0 as? [Any])?.count }
    #expect(lists == ["annotations": 0, "images": 0, "categories": 0])
  }

  @Test func `references between the lists are consistent`() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(RecordScene.text(".json").utf8))
    let coco = try #require(parsed as? [String: Any])
    func numbers(_ key: String, in list: String) -> [Int] {
      (coco[list] as? [[String: Any]])?.compactMap { $0[key] as? Int } ?? []
    }
    #expect(numbers("id", in: "annotations") == Array(1...6))
    #expect(Set(numbers("image_id", in: "annotations")).isSubset(of: numbers("id", in: "images")))
    #expect(Set(numbers("category_id", in: "annotations")) == Set(numbers("id", in: "categories")))
  }
}

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
