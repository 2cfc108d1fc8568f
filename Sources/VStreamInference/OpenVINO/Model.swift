internal import CVStreamOpenVINO
public import VStreamScene
internal import VStreamSystem

/// How a model is compiled.
public struct ModelConfiguration: Hashable, Sendable {
  /// How numbers are kept inside the network.
  public enum Precision: Hashable, Sendable {
    /// What is fastest on the device and, by OpenVINO's judgement, accurate enough.
    case deviceDefault
    /// 32-bit floats everywhere, for results that are the same on every machine up to rounding.
    case float32
  }

  /// OpenVINO's name of the device: `CPU`, `GPU`, `NPU`, `AUTO`.
  public var device: String
  /// How many requests run side by side.
  public var streams: Int
  /// Threads that all of them share; 0 leaves OpenVINO the choice.
  public var threads: Int
  public var precision: Precision
  /// Whether the compiled model is kept on disk for the next run.
  public var usesCache: Bool

  public init(
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
    // Threads that are bound to a processor wait while another process's, bound to the same, is at work.
    var properties = [("NUM_STREAMS", "\(max(1, streams))")]
    #if SANITIZE_ADDRESS  // TBB then keeps what else would be called a leak of its.
      let isPinned = "YES"
    #else
      let isPinned = "NO"
    #endif
    if device == "CPU" { properties.append(("ENABLE_CPU_PINNING", isPinned)) }
    if threads > 0 { properties.append(("INFERENCE_NUM_THREADS", "\(threads)")) }
    if precision == .float32 { properties.append(("INFERENCE_PRECISION_HINT", "f32")) }
    if usesCache, let folder = Installation.cacheFolder() { properties.append(("CACHE_DIR", folder)) }
    return properties
  }
}

/// A network, compiled for a device. Immutable, and shared by all who infer with it.
///
/// Unchecked because the pointer is not Sendable; sound because a compiled model is only asked for requests, which
/// OpenVINO allows from any thread.
public final class Model: @unchecked Sendable {
  /// An input or output of a network.
  public struct Port: Hashable, Sendable {
    /// Its name in the model file; empty if it has none.
    public let name: String
    /// Sizes, outermost first; −1 where the size is not fixed.
    public let shape: [Int]
    public let element: Element

    /// `images [1,3,416,416] float32`
    public var label: String {
      let sizes = "[\(shape.map { $0 < 0 ? "?" : "\($0)" }.joined(separator: ","))]"
      return (name.isEmpty ? "" : "\(name) ") + "\(sizes) \(element)"
    }
  }

  /// The kinds of numbers that networks take and give, as far as they can be dealt with.
  public enum Element: Hashable, Sendable {
    case float32
    case float16
    case int32
    case int64
    case uint8
    case other

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
  }

  public let path: String
  public let inputs: [Port]
  public let outputs: [Port]
  let pointer: OpaquePointer

  /// Reads and compiles a model: OpenVINO IR (`.xml`), ONNX or TFLite.
  ///
  /// Takes a tenth of a second from the cache, up to a second else.
  /// - Parameter inputShapes: shapes that the inputs are to have, all of them in their order, instead of the file's own.
  /// - Throws: `VStreamError.missingDependency` if there is no such file or OpenVINO is not there or cannot read it, or
  ///   the network cannot have such inputs. The C functions are `ov_core_compile_model_from_file` and
  ///   `ov_model_reshape_by_port_indexes`.
  public init(
    path: String, configuration: ModelConfiguration = ModelConfiguration(), inputShapes: [[Int]]? = nil
  ) throws(VStreamError) {
    guard FileCheck.isReadable(path) else {
      throw VStreamError(
        .missingDependency, "there is no model '\(path)'", remedy: "scripts/bootstrap gets it; see 'vstream models'")
    }
    // OpenVINO asks every reader that it has about a file of another kind, and they answer at length.
    let kinds = ["xml", "onnx", "tflite", "pb"]
    guard kinds.contains(where: { path.lowercased().hasSuffix(".\($0)") }), ModelFile.hasExpectedStart(path) else {
      throw VStreamError(
        .missingDependency, "'\(path)' is no model that can be read",
        remedy: "a model's name ends in \(kinds.map { ".\($0)" }.joined(separator: ", "))")
    }
    let core = try OpenVINO.core()
    var compiled: OpaquePointer?
    let properties = configuration.properties
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
        remedy: inputShapes == nil
          ? "the file may be cut short or damaged, or made for another version: get or export it anew"
          : "export it with inputs of that size, or name one that it can have")
    }
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

/// Lends a list of strings as C has them.
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
      guard let base = buffer.baseAddress else { preconditionFailure("a list with an end is not empty") }
      return body(base)
    }
  }
}
