import Foundation
import Testing
import VStreamScene

@testable import VStreamReporting

struct COCOTests {
  @Test func `the scene is one object of annotations, images and categories`() throws {
    let zeros = [String](repeating: "0,0,0", count: 15).joined(separator: ",")
    let keypoints =
      #"["nose","left_eye","right_eye","left_ear","right_ear","left_shoulder","right_shoulder","left_elbow","#
      + #""right_elbow","left_wrist","right_wrist","left_hip","right_hip","left_knee","right_knee","left_ankle","#
      + #""right_ankle"]"#
    let image = #""width":200,"height":100,"pts":"#
    let name = #""file_name":"Straße \"7\".mp4#"#
    let car = #""bbox":[-3.46,0.0,30.13,40.0],"area":1205.04,"iscrowd":0,"score":0.9124,"track_id":7"#
    let expected: [String] = [
      #"{"annotations":["#,
      #"{"id":1,"image_id":1,"category_id":1,\#(car)},"#,
      #"{"id":2,"image_id":1,"category_id":2,"bbox":[190.0,90.0,20.0,20.0],"area":400.0,"iscrowd":0,"score":0.5},"#,
      #"{"id":3,"image_id":1,"category_id":3,"bbox":[0.0,0.0,200.0,100.0],"area":20000.0,"iscrowd":0,"score":1.0,"#
        + #""track_id":12},"#,
      #"{"id":4,"image_id":1,"category_id":4,"bbox":[10.0,20.0,30.0,40.0],"area":1200.0,"iscrowd":0,"score":0.9813,"#
        + #""track_id":1},"#,
      #"{"id":5,"image_id":1,"category_id":5,"bbox":[1.0,2.0,3.0,4.0],"area":12.0,"iscrowd":0,"score":0.75,"#
        + #""keypoints":[1.5,-2.0,2,\#(zeros),4.0,600.0,1],"num_keypoints":2,"track_id":2},"#,
      #"{"id":6,"image_id":5000000001,"category_id":1,\#(car),"predicted":true}"#,
      #"],"images":["#,
      #"{"id":1,\#(name)0",\#(image)0.0},"#,
      #"{"id":2,\#(name)1",\#(image)0.04},"#,
      #"{"id":5000000001,\#(name)5000000000",\#(image)3599.98}"#,
      #"],"categories":[{"id":1,"name":"car"},{"id":2,"name":"a \"b\", --> c"},{"id":3,"name":"日本 ü"},"#
        + #"{"id":4,"name":"face"},{"id":5,"name":"pose","keypoints":\#(keypoints)}]}"#,
      "",
    ]
    #expect(try RecordScene.text(".json").components(separatedBy: "\n") == expected)
  }

  @Test func `a run without frames has empty lists`() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(RecordScene.text(".json", []).utf8))
    #expect((parsed as? [String: [Any]])?.mapValues(\.count) == ["annotations": 0, "images": 0, "categories": 0])
  }

  @Test func `references between the lists are consistent`() throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(RecordScene.text(".json").utf8))
    let coco = try #require(parsed as? [String: [[String: Any]]])
    func numbers(_ key: String, in list: String) -> [Int] { coco[list]?.compactMap { $0[key] as? Int } ?? [] }
    #expect(numbers("id", in: "annotations") == Array(1...6))
    #expect(Set(numbers("image_id", in: "annotations")).isSubset(of: numbers("id", in: "images")))
    #expect(Set(numbers("category_id", in: "annotations")) == Set(numbers("id", in: "categories")))
  }
}
