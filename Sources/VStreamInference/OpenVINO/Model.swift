internal import CVStreamOpenVINO
package import VStreamCore
internal import VStreamSystem

/// How a model is compiled.
package struct ModelConfiguration: Hashable, Sendable {
  /// The type of values inside the network.
  package enum Precision: Hashable, Sendable {
    /// OpenVINO's choice for the device, the fastest that it takes for accurate enough.
    case deviceDefault
    /// 32-bit floats everywhere: the results are the same on every machine up to rounding.
    case float32
  }

  /// OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  package var device: String
  /// How many requests run in parallel.
  package var streams: Int
  /// Threads for all requests together; 0 leaves the choice to OpenVINO.
  package var threads: Int
  package var precision: Precision
  /// Whether the compiled model is cached on disk for the next run.
  package var usesCache: Bool

  package init(
    device: String = "CPU", streams: Int = 1, threads: Int = 0, precision: Precision = .deviceDefault,
    usesCache: Bool = true
  ) {
    self.device = device
    self.streams = streams
    self.threads = threads
    self.precision = precision
    self.usesCache = usesCache
  }

  var properties: [(name: String, value: String)] {
    var properties = [("NUM_STREAMS", "\(max(1, streams))")]
    // Threads that are pinned to a processor wait while another process's, pinned to the same, are running.
    #if SANITIZE_ADDRESS  // Without pinning, TBB's own memory is reported as leaked.
      let isPinned = "YES"
    #else
      let isPinned = "NO"
    #endif
    if device == "CPU" { properties.append(("ENABLE_CPU_PINNING", isPinned)) }
    if threads > 0 { properties.append(("INFERENCE_NUM_THREADS", "\(threads)")) }
    if precision == .float32 { properties.append(("INFERENCE_PRECISION_HINT", "f32")) }
    return properties
  }
}

/// A network compiled for a device. Immutable, and shared by all its requests.
///
/// Unchecked because the pointer is not Sendable; sound because a compiled model only creates requests, which
/// OpenVINO allows from any thread.
package final class Model: @unchecked Sendable {
  /// An input or output of a network.
  package struct Port: Hashable, Sendable {
    /// Its name in the model file; empty if it has none.
    package let name: String
    /// Dimensions, outermost first; −1 for one that is not fixed.
    package let shape: [Int]
    package let element: Element

    package init(name: String, shape: [Int], element: Element) {
      self.name = name
      self.shape = shape
      self.element = element
    }

    /// `images [1,3,416,416] float32`
    package var label: String {
      let dimensions = "[\(shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ","))]"
      return (name.isEmpty ? "" : "\(name) ") + "\(dimensions) \(element)"
    }
  }

  /// The types of elements that are supported; `other` is none of them.
  package enum Element: String, Hashable, Sendable, CustomStringConvertible {
    case float32
    case float16
    case int32
    case int64
    case uint8
    case other

    package var description: String { rawValue }

    init(_ element: CVStreamOpenVINO_Element) {
      self =
        switch element {
        case CVStreamOpenVINO_float32: .float32
        case CVStreamOpenVINO_float16: .float16
        case CVStreamOpenVINO_int32: .int32
        case CVStreamOpenVINO_int64: .int64
        case CVStreamOpenVINO_uint8: .uint8
        default: .other
        }
    }

    /// The values that an integer type can hold; `nil` for floating-point types.
    package var integerRange: ClosedRange<Double>? {
      switch self {
      case .uint8: 0...255
      case .int32: Double(Int32.min)...Double(Int32.max)
      // The greatest double below 2⁶³.
      case .int64: Double(Int64.min)...Double(Int64.max).nextDown
      case .float32, .float16, .other: nil
      }
    }
  }

  package let path: String
  package let inputs: [Port]
  package let outputs: [Port]
  let pointer: OpaquePointer

  /// Reads and compiles a model: OpenVINO IR (`.xml`), ONNX or TFLite.
  ///
  /// Takes a tenth of a second from the cache, up to a second without it.
  /// - Parameter inputShapes: the shapes of all inputs in their order, instead of the file's own.
  /// - Throws: `VStreamError.missingDependency` if there is no such file, OpenVINO is not installed or cannot read it, or
  ///   the network cannot have such inputs. The C functions are `ov_core_compile_model_from_file` and
  ///   `ov_model_reshape_by_port_indexes`.
  package init(
    path: String, configuration: ModelConfiguration = ModelConfiguration(), inputShapes: [[Int]]? = nil
  ) throws(VStreamError) {
    guard FileCheck.isReadable(path) else {
      throw VStreamError(
        .missingDependency, "the model '\(path)' does not exist",
        subject: path,
        remedy:
          "give the path of a model's file; \(Installation.setUpCommand) installs the models that vstream uses itself")
    }
    // OpenVINO tries each of its readers on any other file, and reports all their failures.
    let extensions = ["xml", "onnx", "tflite", "pb"]
    guard extensions.contains(where: { path.lowercased().hasSuffix(".\($0)") }), ModelFile.hasExpectedStart(path)
    else {
      throw VStreamError(
        .missingDependency, "'\(path)' is not a model that can be read",
        remedy: "a model's name ends in \(extensions.map { ".\($0)" }.joined(separator: ", "))")
    }
    let core = try OpenVINO.core()
    var compiled: OpaquePointer?
    var properties = configuration.properties
    let cache = configuration.usesCache ? CompiledModelCache(of: path, configuration, inputShapes: inputShapes) : nil
    if let cache { properties.append(("CACHE_DIR", cache.folder)) }
    let status = withCStrings(properties.map(\.name)) { names in
      withCStrings(properties.map(\.value)) { values in
        guard let inputShapes else {
          return CVStreamOpenVINO_compile(
            core.pointer, path, configuration.device, names, values, properties.count, &compiled)
        }
        return CVStreamOpenVINO_compileReshaped(
          core.pointer, path, configuration.device, names, values, properties.count,
          inputShapes.joined().map(Int64.init),
          inputShapes.map(\.count), inputShapes.count, &compiled)
      }
    }
    guard status == 0, let compiled else {
      throw failure(
        "the model '\(path)' cannot be compiled for \(configuration.device)"
          + (inputShapes.map { " with inputs of \($0)" } ?? ""), status, code: .missingDependency,
        remedy: Self.compilationRemedy(device: configuration.device, isReshaped: inputShapes != nil))
    }
    cache?.seal()
    self.path = path
    pointer = compiled
    do {
      inputs = try Self.ports(of: compiled, output: 0)
      outputs = try Self.ports(of: compiled, output: 1)
    } catch {
      CVStreamOpenVINO_freeCompiledModel(compiled)
      throw error
    }
  }

  /// Whether the network can have these shapes of its inputs, in their order. Nothing is compiled.
  ///
  /// - Throws: `VStreamError.missingDependency` if OpenVINO is not installed.
  package func canReshape(to inputShapes: [[Int]]) throws(VStreamError) -> Bool {
    let core = try OpenVINO.core()
    return CVStreamOpenVINO_compileReshaped(
      core.pointer, path, "CPU", nil, nil, 0, inputShapes.joined().map(Int64.init), inputShapes.map(\.count),
      inputShapes.count, nil) == 0
  }

  private static func compilationRemedy(device: String, isReshaped: Bool) -> Message {
    if device != "CPU" {
      return "check that the device and its driver are installed, or use \(.device, "CPU"), which every machine has"
    }
    return isReshaped
      ? "export it with inputs of that size, or name a size that it supports"
      : "the file may be truncated, damaged or made for another version: download or export it again"
  }

  deinit { CVStreamOpenVINO_freeCompiledModel(pointer) }

  private static func ports(of model: OpaquePointer, output: Int32) throws(VStreamError) -> [Port] {
    var count = 0
    try openVINO("the model's ports") { CVStreamOpenVINO_portCount(model, output, &count) }
    var ports: [Port] = []
    for index in 0..<count {
      var name = [CChar](repeating: 0, count: 256)
      var dimensions = [Int64](repeating: 0, count: 8)
      var rank = dimensions.count
      var element = CVStreamOpenVINO_other
      try openVINO("the model's ports") {
        CVStreamOpenVINO_describePort(model, output, index, &name, name.count, &dimensions, &rank, &element)
      }
      let text = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      ports.append(Port(name: text, shape: dimensions.prefix(rank).map(Int.init), element: Element(element)))
    }
    return ports
  }
}

/// Lends strings as a C array that ends with a null pointer.
private func withCStrings<R>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> R) -> R {
  let copies = strings.map { Array($0.utf8CString) }
  var flat = copies.flatMap { $0 }
  var offsets: [Int] = []
  var next = 0
  for copy in copies {
    offsets.append(next)
    next += copy.count
  }
  if flat.isEmpty { flat = [0] }
  return flat.withUnsafeBufferPointer { characters in
    let pointers: [UnsafePointer<CChar>?] = offsets.map { characters.baseAddress?.advanced(by: $0) } + [nil]
    return pointers.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an array with a terminator is not empty") }
      return body(base)
    }
  }
}
