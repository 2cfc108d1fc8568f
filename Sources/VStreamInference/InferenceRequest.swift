internal import CVStreamOpenVINO
public import VStreamScene

/// One run of a model at a time, with its own input and output memory.
///
/// One owner at a time; `infer` blocks until the outputs are there.
public final class InferenceRequest {
  public let model: Model
  private let pointer: OpaquePointer
  private let inputTensors: [OpaquePointer]
  private var hasRun = false

  /// - Throws: `VStreamError.library` if OpenVINO fails, or if an input is not of 32-bit floats in a fixed shape.
  public init(_ model: Model) throws(VStreamError) {
    if let odd = model.outputs.first(where: { !$0.isFloat }) {
      throw VStreamError(.library, "'\(model.path)' gives '\(odd.name)' as other numbers than 32-bit floats")
    }
    self.model = model
    var request: OpaquePointer?
    try openVINO("the inference request") { CVStreamOpenVINO_createRequest(model.pointer, &request) }
    guard let request else { throw outOfMemory }
    pointer = request
    var tensors: [OpaquePointer] = []
    do throws(VStreamError) {
      for (index, input) in model.inputs.enumerated() {
        guard input.isFloat, input.shape.allSatisfy({ $0 > 0 }) else {
          throw VStreamError(
            .library, "'\(model.path)' takes '\(input.name)' \(input.shape), not 32-bit floats of a fixed shape")
        }
        tensors.append(try Self.tensor(of: request, output: 0, index: index))
      }
    } catch {
      for tensor in tensors { CVStreamOpenVINO_freeTensor(tensor) }
      CVStreamOpenVINO_freeRequest(request)
      throw error
    }
    inputTensors = tensors
  }

  deinit {
    for tensor in inputTensors { CVStreamOpenVINO_freeTensor(tensor) }
    CVStreamOpenVINO_freeRequest(pointer)
  }

  /// Lends the memory of an input for writing: as many floats as its shape says, outermost dimension first.
  public func withInput<R>(_ index: Int, _ body: (inout MutableSpan<Float>) throws -> R) throws -> R {
    let memory = try Self.floats(of: inputTensors[index])
    var span = MutableSpan(_unsafeElements: memory)
    return try body(&span)
  }

  /// Lends the memory of an output for reading, with its shape in this run.
  public func withOutput<R>(_ index: Int, _ body: (Span<Float>, [Int]) throws -> R) throws -> R {
    let tensor = try Self.tensor(of: pointer, output: 1, index: index)
    defer { CVStreamOpenVINO_freeTensor(tensor) }
    let memory = try Self.floats(of: tensor)
    return try body(Span(_unsafeElements: UnsafeBufferPointer(memory)), try Self.shape(of: tensor))
  }

  /// Runs the network on what the inputs hold.
  ///
  /// - Throws: `VStreamError.library`. The C function is `ov_infer_request_infer`.
  public func infer() throws(VStreamError) {
    try openVINO("inference with '\(model.path)'") { CVStreamOpenVINO_infer(pointer) }
    if !hasRun { MappedModelFiles.release() }
    hasRun = true
  }

  private static func tensor(
    of request: OpaquePointer, output: Int32, index: Int
  ) throws(VStreamError) -> OpaquePointer {
    var tensor: OpaquePointer?
    try openVINO("the request's tensors") { CVStreamOpenVINO_tensor(request, output, index, &tensor) }
    guard let tensor else { throw outOfMemory }
    return tensor
  }

  private static func floats(of tensor: OpaquePointer) throws(VStreamError) -> UnsafeMutableBufferPointer<Float> {
    var data: UnsafeMutableRawPointer?
    var count = 0
    try openVINO("a tensor's memory") { CVStreamOpenVINO_tensorData(tensor, &data, &count) }
    return UnsafeMutableBufferPointer(start: data?.assumingMemoryBound(to: Float.self), count: data == nil ? 0 : count)
  }

  private static func shape(of tensor: OpaquePointer) throws(VStreamError) -> [Int] {
    var dimensions: InlineArray<8, Int64> = InlineArray(repeating: 0)
    var rank = 8
    var span = dimensions.mutableSpan
    try span.withUnsafeMutableBufferPointer { (buffer) throws(VStreamError) in
      try openVINO("a tensor's shape") { CVStreamOpenVINO_tensorShape(tensor, buffer.baseAddress, &rank) }
    }
    return (0..<rank).map { Int(dimensions[$0]) }
  }
}

private let outOfMemory = VStreamError(.library, "OpenVINO gave nothing: out of memory?")
