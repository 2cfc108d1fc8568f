import Testing

@testable import VStreamMedia

/// The meaning of the codes of ITU-T H.273.
struct ColorDescriptionTests {
  private static func description(range: Int32 = 0, transfer: Int32 = 2, space: Int32 = 2) -> ColorDescription {
    ColorDescription(range: range, primaries: 2, transfer: transfer, space: space, chromaLocation: 0)
  }

  struct MatrixRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let space: Int32
    let height: Int
    let matrix: ColorDescription.Matrix
  }

  static let matrices = [
    MatrixRow(testDescription: "tagged BT.709, small", space: 1, height: 240, matrix: .bt709),
    MatrixRow(testDescription: "tagged BT.470BG, large", space: 5, height: 1080, matrix: .bt601),
    MatrixRow(testDescription: "tagged SMPTE 170M, large", space: 6, height: 1080, matrix: .bt601),
    MatrixRow(testDescription: "tagged FCC", space: 4, height: 1080, matrix: .bt601),
    MatrixRow(testDescription: "tagged BT.2020", space: 9, height: 240, matrix: .bt2020),
    MatrixRow(testDescription: "tagged BT.2020, constant luminance", space: 10, height: 240, matrix: .bt2020),
    MatrixRow(testDescription: "no tag, 719 lines", space: 2, height: 719, matrix: .bt601),
    MatrixRow(testDescription: "no tag, 720 lines", space: 2, height: 720, matrix: .bt709),
    MatrixRow(testDescription: "a code that a newer libav may add", space: 99, height: 480, matrix: .bt601),
    MatrixRow(testDescription: "a negative code", space: -1, height: 480, matrix: .bt601),
  ]

  @Test(arguments: matrices)
  func `the matrix is the tagged one, else that of the height`(row: MatrixRow) {
    #expect(Self.description(space: row.space).matrix(height: row.height) == row.matrix)
  }

  @Test(
    arguments: [
      (1, .standard), (2, .standard), (13, .standard), (16, .pq), (18, .hlg), (99, .standard), (-1, .standard),
    ] as [(Int32, ColorDescription.Transfer)])
  func `transfer characteristics are those of HDR or standard`(code: Int32, transfer: ColorDescription.Transfer) {
    #expect(Self.description(transfer: code).transferCurve == transfer)
  }

  @Test(
    arguments: [
      ("yuv420p", 0, false), ("yuv420p", 1, false), ("yuv420p", 2, true), ("yuvj420p", 0, true), ("yuvj420p", 1, false),
      ("yuvj420p", 2, true),
    ] as [(String, Int32, Bool)])
  func `the range is the tagged one, else that of the format`(format: String, range: Int32, isFull: Bool) throws {
    let format = try #require(PixelFormat(name: format))
    #expect(Self.description(range: range).isFullRange(format: format) == isFull)
  }

  @Test(arguments: [ColorDescription.Matrix.bt601, .bt709, .bt2020])
  func `weights leave the largest part to green`(matrix: ColorDescription.Matrix) {
    let green = 1 - matrix.weights.red - matrix.weights.blue
    #expect(green > matrix.weights.red)
    #expect(matrix.weights.red > matrix.weights.blue)
  }

  struct RangeRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let depth: Int
    let isFull: Bool
    /// Black, white, neutral, minimum and maximum chroma.
    let black: Float
    let white: Float
    let neutral: Float
    let chroma: ClosedRange<Float>
  }

  static let ranges = [
    RangeRow(
      testDescription: "8 bits, limited", depth: 8, isFull: false, black: 16, white: 235, neutral: 128, chroma: 16...240
    ),
    RangeRow(
      testDescription: "8 bits, full", depth: 8, isFull: true, black: 0, white: 255, neutral: 128, chroma: 0.5...255.5),
    RangeRow(
      testDescription: "10 bits, limited", depth: 10, isFull: false, black: 64, white: 940, neutral: 512,
      chroma: 64...960),
    RangeRow(
      testDescription: "12 bits, full", depth: 12, isFull: true, black: 0, white: 4095, neutral: 2048,
      chroma: 0.5...4095.5),
    RangeRow(
      testDescription: "16 bits, limited", depth: 16, isFull: false, black: 4096, white: 60160, neutral: 32768,
      chroma: 4096...61440),
  ]

  @Test(arguments: ranges)
  func `a sample range has the values of H.273`(row: RangeRow) {
    let range = SampleRange(depth: row.depth, isFull: row.isFull)
    #expect(range.black == row.black)
    #expect(range.black + range.lumaSpan == row.white)
    #expect(range.chromaMiddle == row.neutral)
    #expect(range.chromaMiddle - range.chromaSpan / 2 == row.chroma.lowerBound)
    #expect(range.chromaMiddle + range.chromaSpan / 2 == row.chroma.upperBound)
  }
}
