internal import CVStreamOpenVINO
package import VStreamCore

/// Runs a model, one run at a time, with its own input and output memory.
///
/// One owner at a time; `infer` blocks until the outputs are available, and so does `wait` after `start`.
package final class InferenceRequest {
  package let model: Model
  private let pointer: OpaquePointer
  private let inputTensors: [OpaquePointer]
  private var hasRun = false
  private var isRunning = false

  /// - Parameter inputShapes: the shapes of all inputs in their order; `nil` if the model fixes them.
  /// - Throws: `VStreamError.library` if OpenVINO fails, an input has no fixed shape, or an element type is not supported.
  package init(_ model: Model, inputShapes: [[Int]]? = nil) throws(VStreamError) {
    try model.requireRunnable(hasFixedShapes: inputShapes == nil)
    self.model = model
    var request: OpaquePointer?
    try openVINO("the inference request") { CVStreamOpenVINO_createRequest(model.pointer, &request) }
    guard let request else { throw outOfMemory }
    pointer = request
    var tensors: [OpaquePointer] = []
    do throws(VStreamError) {
      for index in model.inputs.indices {
        tensors.append(try Self.tensor(of: request, output: 0, index: index))
        guard let shape = inputShapes?[index].map(Int64.init) else { continue }
        try openVINO("the shape of an input") { CVStreamOpenVINO_setTensorShape(tensors[index], shape, shape.count) }
      }
    } catch {
      for tensor in tensors { CVStreamOpenVINO_freeTensor(tensor) }
      CVStreamOpenVINO_freeRequest(request)
      throw error
    }
    inputTensors = tensors
  }

  deinit {
    if isRunning { _ = CVStreamOpenVINO_wait(pointer) }
    for tensor in inputTensors { CVStreamOpenVINO_freeTensor(tensor) }
    CVStreamOpenVINO_freeRequest(pointer)
  }

  // MARK: Inputs and outputs

  /// Lends the memory of an input for writing: as many elements as its shape has, outermost dimension first.
  ///
  /// - Throws: `VStreamError.library` if the input is not of 32-bit floats, and what `body` throws.
  package func withInput<R>(_ index: Int, _ body: (inout MutableSpan<Float>) throws -> R) throws -> R {
    let port = model.inputs[index]
    guard port.element == .float32 else {
      throw VStreamError(.library, "'\(model.path)' takes '\(port.name)' as \(port.element), not as 32-bit floats")
    }
    let memory = try Self.memory(of: inputTensors[index], as: Float.self)
    var span = MutableSpan(_unsafeElements: memory)
    return try body(&span)
  }

  /// Sets an input of any supported element type; values are rounded for integers.
  ///
  /// - Parameter values: as many as its shape has.
  /// - Throws: `VStreamError.library` if there are more or fewer values, or the type cannot hold one of them.
  package func setInput(_ index: Int, _ values: [Float]) throws(VStreamError) {
    let (tensor, port) = (inputTensors[index], model.inputs[index])
    switch port.element {
    case .float32: try Self.fill(tensor, port, with: values) { $0 }
    case .float16: try Self.fill(tensor, port, with: values) { Float16(holding: $0) }
    case .int32: try Self.fill(tensor, port, with: values) { Int32(exactly: $0.rounded()) }
    case .int64: try Self.fill(tensor, port, with: values) { Int64(exactly: $0.rounded()) }
    case .uint8: try Self.fill(tensor, port, with: values) { UInt8(exactly: $0.rounded()) }
    case .other: throw model.unsupported(port)
    }
  }

  private static func fill<Element>(
    _ tensor: OpaquePointer, _ port: Model.Port, with values: [Float], _ convert: (Float) -> Element?
  ) throws(VStreamError) {
    let memory = try memory(of: tensor, as: Element.self)
    guard memory.count == values.count else {
      throw VStreamError(.library, "\(values.count) values for an input of \(memory.count)")
    }
    for index in values.indices {
      guard let element = convert(values[index]) else {
        throw VStreamError(.library, "the input \(port.label) cannot hold the value \(values[index])")
      }
      memory[index] = element
    }
  }

  /// Lends an output as 32-bit floats for reading, with its shape in this run; other element types are converted.
  package func withOutput<R>(_ index: Int, _ body: (Span<Float>, [Int]) throws -> R) throws -> R {
    guard model.outputs[index].element == .float32 else {
      let (values, shape) = try output(index)
      return try body(values.span, shape)
    }
    let tensor = try Self.tensor(of: pointer, output: 1, index: index)
    defer { CVStreamOpenVINO_freeTensor(tensor) }
    let memory = try Self.memory(of: tensor, as: Float.self)
    return try body(Span(_unsafeElements: UnsafeBufferPointer(memory)), try Self.shape(of: tensor))
  }

  /// A copy of an output, converted to 32-bit floats, with its shape in this run.
  package func output(_ index: Int) throws(VStreamError) -> (values: [Float], shape: [Int]) {
    let tensor = try Self.tensor(of: pointer, output: 1, index: index)
    defer { CVStreamOpenVINO_freeTensor(tensor) }
    let port = model.outputs[index]
    let values: [Float] =
      switch port.element {
      case .float32: Array(try Self.memory(of: tensor, as: Float.self))
      case .float16: try Self.memory(of: tensor, as: Float16.self).map { Float($0) }
      case .int32: try Self.memory(of: tensor, as: Int32.self).map { Float($0) }
      case .int64: try Self.memory(of: tensor, as: Int64.self).map { Float($0) }
      case .uint8: try Self.memory(of: tensor, as: UInt8.self).map { Float($0) }
      case .other: throw model.unsupported(port)
      }
    return (values, try Self.shape(of: tensor))
  }

  // MARK: Running

  /// Runs the network on its inputs and waits for the outputs.
  ///
  /// - Throws: `VStreamError.library`. The C function is `ov_infer_request_infer`.
  package func infer() throws(VStreamError) {
    try openVINO("inference with '\(model.path)'") { CVStreamOpenVINO_infer(pointer) }
    noteRun()
  }

  /// Starts a run of the network on its inputs. Until `wait` has returned, inputs and outputs must not be accessed.
  ///
  /// - Throws: `VStreamError.library`. The C function is `ov_infer_request_start_async`.
  package func start() throws(VStreamError) {
    try openVINO("inference with '\(model.path)'") { CVStreamOpenVINO_start(pointer) }
    isRunning = true
  }

  /// Waits until the run that was started has ended.
  ///
  /// - Throws: `VStreamError.library`. The C function is `ov_infer_request_wait`.
  package func wait() throws(VStreamError) {
    isRunning = false
    try openVINO("inference with '\(model.path)'") { CVStreamOpenVINO_wait(pointer) }
    noteRun()
  }

  private func noteRun() {
    if !hasRun { MappedModelFiles.release() }
    hasRun = true
  }

  // MARK: Tensors

  private static func tensor(
    of request: OpaquePointer, output: Int32, index: Int
  ) throws(VStreamError) -> OpaquePointer {
    var tensor: OpaquePointer?
    try openVINO("the request's tensors") { CVStreamOpenVINO_tensor(request, output, index, &tensor) }
    guard let tensor else { throw outOfMemory }
    return tensor
  }

  private static func memory<Element>(
    of tensor: OpaquePointer, as: Element.Type
  ) throws(VStreamError) -> UnsafeMutableBufferPointer<Element> {
    var data: UnsafeMutableRawPointer?
    var count = 0
    try openVINO("a tensor's memory") { CVStreamOpenVINO_tensorData(tensor, &data, &count) }
    let start = data?.assumingMemoryBound(to: Element.self)
    return UnsafeMutableBufferPointer(start: start, count: start == nil ? 0 : count)
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

extension Model {
  /// - Throws: `VStreamError.library` unless all inputs have fixed shapes and all ports supported element types.
  fileprivate func requireRunnable(hasFixedShapes: Bool) throws(VStreamError) {
    if let port = (inputs + outputs).first(where: { $0.element == .other }) { throw unsupported(port) }
    if hasFixedShapes, let input = inputs.first(where: { !$0.shape.allSatisfy { $0 > 0 } }) {
      throw VStreamError(
        .library, "'\(path)' takes '\(input.name)' \(input.shape), which is not a fixed shape",
        remedy: "export it with fixed sizes")
    }
  }

  fileprivate func unsupported(_ port: Port) -> VStreamError {
    VStreamError(.library, "'\(path)' has '\(port.name)' with elements of an unsupported type")
  }
}

extension Float16 {
  /// The nearest 16-bit float; `nil` if that is infinite for a finite value.
  fileprivate init?(holding value: Float) {
    self.init(value)
    if isInfinite, value.isFinite { return nil }
  }
}

private let outOfMemory = VStreamError(.library, "OpenVINO returned no object; memory may be exhausted")
