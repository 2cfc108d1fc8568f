import Testing
import VStreamCore

@testable import VStreamReporting

struct KITTITests {
  @Test func `each object of the scene has seventeen columns and the score`() throws {
    let space = "-1 -1 -1 -1000 -1000 -1000 -10"
    let text = try RecordScene.text(".kitti.txt")
    #expect(
      text == """
        0 7 Car -1 -1 -10 -3.46 0.0 26.67 40.0 \(space) 0.9124
        0 -1 Misc -1 -1 -10 190.0 90.0 210.0 110.0 \(space) 0.5
        0 12 Misc -1 -1 -10 0.0 0.0 200.0 100.0 \(space) 1.0
        5000000000 7 Car -1 -1 -10 -3.46 0.0 26.67 40.0 \(space) 0.9124

        """)
    #expect(text.split(separator: "\n").allSatisfy { $0.split(separator: " ").count == 18 })
  }

  @Test(arguments: [
    ("person", "Pedestrian"), ("car", "Car"), ("truck", "Truck"), ("bicycle", "Cyclist"), ("train", "Tram"),
    ("bus", "Misc"), ("motorcycle", "Misc"), ("traffic light", "Misc"),
    // Classes of models that were trained on KITTI.
    ("Van", "Van"), ("Pedestrian", "Pedestrian"), ("CYCLIST", "Cyclist"), ("tram", "Tram"),
  ])
  func `classes have KITTI's names`(label: String, name: String) {
    #expect(KITTIClass(label: label).rawValue == name)
  }

  @Test func `a run without frames is an empty file`() throws {
    #expect(try RecordScene.text(".kitti.txt", []).isEmpty)
  }
}
