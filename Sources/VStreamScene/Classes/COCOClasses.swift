/// The 80 object classes of COCO 2017.
public enum COCOClasses {
  /// In the order of their official identifiers.
  public static let names = [
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant",
    "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard",
    "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle",
    "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange", "broccoli",
    "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed", "dining table", "toilet",
    "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster", "sink",
    "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
  ]

  /// The identifiers that no class has.
  private static let unusedIdentifiers: Set = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83]

  /// The classes' official identifiers, from 1 to 90 with gaps, in the order of `names`.
  public static let identifiers = (1...90).filter { !unusedIdentifiers.contains($0) }
}
