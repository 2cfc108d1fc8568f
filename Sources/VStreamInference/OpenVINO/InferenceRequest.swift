internal import CVStreamOpenVINO
public import VStreamScene

/// One run of a model at a time, with its own input and output memory.
///
/// One owner at a time; `infer` blocks until the outputs are there, and so does `wait` after `start`.
public final class InferenceRequest {
  public let model: Model
  private let pointer: OpaquePointer
  private let inputTensors: [OpaquePointer]
  private var hasRun = false
  private var isRunning = false

  /// - Throws: `VStreamError.library` if OpenVINO fails, or if an input has no fixed shape, or if numbers are of a kind
  ///   that cannot be dealt with.
  public init(_ model: Model) throws(VStreamError) {
    if let odd = (model.inputs + model.outputs).first(where: { $0.element == .other }) {
      throw VStreamError(.library, "'\(model.path)' has '\(odd.name)' as numbers of a kind that is not known here")
    }
    self.model = model
    var request: OpaquePointer?
    try openVINO("the inference request") { CVStreamOpenVINO_createRequest(model.pointer, &request) }
    guard let request else { throw outOfMemory }
    pointer = request
    var tensors: [OpaquePointer] = []
    do throws(VStreamError) {
      for (index, input) in model.inputs.enumerated() {
        guard input.shape.allSatisfy({ $0 > 0 }) else {
          throw VStreamError(
            .library, "'\(model.path)' takes '\(input.name)' \(input.shape), which is no fixed shape",
            remedy: "export it with fixed sizes")
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
    if isRunning { _ = CVStreamOpenVINO_wait(pointer) }
    for tensor in inputTensors { CVStreamOpenVINO_freeTensor(tensor) }
    CVStreamOpenVINO_freeRequest(pointer)
  }

  /// Lends the memory of an input of 32-bit floats for writing: as many as its shape says, outermost dimension first.
  public func withInput<R>(_ index: Int, _ body: (inout MutableSpan<Float>) throws -> R) throws -> R {
    precondition(model.inputs[index].element == .float32, "other inputs are set")
    let memory = try Self.memory(of: inputTensors[index], as: Float.self)
    var span = MutableSpan(_unsafeElements: memory)
    return try body(&span)
  }

  /// Sets an input of any kind of numbers; those that are not whole are rounded for one that is.
  ///
  /// - Parameter numbers: as many as its shape says; for whole numbers, such as the kind can hold.
  public func setInput(_ index: Int, _ numbers: [Float]) throws(VStreamError) {
    let tensor = inputTensors[index]
    switch model.inputs[index].element {
    case .float32: try Self.fill(tensor, with: numbers) { $0 }
    case .float16: try Self.fill(tensor, with: numbers) { Float16($0) }
    case .int32: try Self.fill(tensor, with: numbers) { Int32($0.rounded()) }
    case .int64: try Self.fill(tensor, with: numbers) { Int64($0.rounded()) }
    case .uint8: try Self.fill(tensor, with: numbers) { UInt8($0.rounded()) }
    case .other: preconditionFailure("no request is made of a model with such an input")
    }
  }

  private static func fill<Element>(
    _ tensor: OpaquePointer, with numbers: [Float], _ convert: (Float) -> Element
  ) throws(VStreamError) {
    let memory = try memory(of: tensor, as: Element.self)
    guard memory.count == numbers.count else {
      throw VStreamError(.library, "\(numbers.count) numbers for an input of \(memory.count)")
    }
    for index in numbers.indices { memory[index] = convert(numbers[index]) }
  }

  /// Lends the memory of an output of 32-bit floats for reading, with its shape in this run.
  public func withOutput<R>(_ index: Int, _ body: (Span<Float>, [Int]) throws -> R) throws -> R {
    precondition(model.outputs[index].element == .float32, "other outputs are copied")
    let tensor = try Self.tensor(of: pointer, output: 1, index: index)
    defer { CVStreamOpenVINO_freeTensor(tensor) }
    let memory = try Self.memory(of: tensor, as: Float.self)
    return try body(Span(_unsafeElements: UnsafeBufferPointer(memory)), try Self.shape(of: tensor))
  }

  /// A copy of an output of any kind of numbers, with its shape in this run.
  public func output(_ index: Int) throws(VStreamError) -> (numbers: [Float], shape: [Int]) {
    let tensor = try Self.tensor(of: pointer, output: 1, index: index)
    defer { CVStreamOpenVINO_freeTensor(tensor) }
    let numbers: [Float] =
      switch model.outputs[index].element {
      case .float32: Array(try Self.memory(of: tensor, as: Float.self))
      case .float16: try Self.memory(of: tensor, as: Float16.self).map { Float($0) }
      case .int32: try Self.memory(of: tensor, as: Int32.self).map { Float($0) }
      case .int64: try Self.memory(of: tensor, as: Int64.self).map { Float($0) }
      case .uint8: try Self.memory(of: tensor, as: UInt8.self).map { Float($0) }
      case .other: preconditionFailure("no request is made of a model with such an output")
      }
    return (numbers, try Self.shape(of: tensor))
  }

  /// Runs the network on what the inputs hold.
  ///
  /// - Throws: `VStreamError.library`. The C function is `ov_infer_request_infer`.
  public func infer() throws(VStreamError) {
    try openVINO("inference with '\(model.path)'") { CVStreamOpenVINO_infer(pointer) }
    noteRun()
  }

  /// Has the network run on what the inputs hold, and does not wait for it. Until `wait` has returned, inputs and outputs are
  /// not to be touched.
  ///
  /// - Throws: `VStreamError.library`. The C function is `ov_infer_request_start_async`.
  public func start() throws(VStreamError) {
    try openVINO("inference with '\(model.path)'") { CVStreamOpenVINO_start(pointer) }
    isRunning = true
  }

  /// Waits until the run that was started is over.
  ///
  /// - Throws: `VStreamError.library`. The C function is `ov_infer_request_wait`.
  public func wait() throws(VStreamError) {
    isRunning = false
    try openVINO("inference with '\(model.path)'") { CVStreamOpenVINO_wait(pointer) }
    noteRun()
  }

  private func noteRun() {
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

private let outOfMemory = VStreamError(.library, "OpenVINO gave nothing: out of memory?")
