// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built the same way: Swift 6 language mode, imports internal unless said, no warning let through.
let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// Tests import as they please, and say what they need of modules' insides with `@testable`.
let testSettings: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// The modules with the loops over pixels, tensors and boxes: tests run minutes longer without optimisation. Only where
/// scripts/test asks for it, as packages that use VStream may have no such flag.
let optimised: Set =
  Context.environment["VSTREAM_OPTIMISED"] == "1"
  ? ["VStreamCore", "VStreamTracking", "VStreamMedia", "VStreamInference", "VStreamDetection", "VStreamOverlay"] : []

func module(_ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []) -> Target {
  .target(
    name: name, dependencies: dependencies, resources: resources,
    swiftSettings: swiftSettings
      + (optimised.contains(name) ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []))
}

func tests(_ name: String, _ dependencies: [Target.Dependency], fixtures: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["VStreamTestSupport"], exclude: fixtures, swiftSettings: testSettings)
}

let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// The modules with parsers of untrusted bytes, and what their fuzzer needs.
let fuzzed: [Target.Dependency] = [
  "VStreamCore", "VStreamSystem", "VStreamTracking", "VStreamMedia", "VStreamInference", "VStreamDetection",
  "VStreamOverlay", "VStreamReporting", "VStreamPipeline", "VStreamCommand", argumentParser,
]

let package = Package(
  name: "vstream",
  products: [
    .executable(name: "vstream", targets: ["VStreamCommand"]),
    .library(name: "VStream", targets: ["VStream"]),
    .library(name: "vstream-allocations", type: .dynamic, targets: ["CVStreamAllocations"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    // Layer 0: C.
    .systemLibrary(
      name: "CVStreamLibAVSystem", pkgConfig: "libavformat",
      providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev"])]),
    .target(
      name: "CVStreamLibAV", dependencies: ["CVStreamLibAVSystem"],
      linkerSettings: ["avformat", "avcodec", "avutil", "swscale"].map { .linkedLibrary($0) }),
    .target(name: "CVStreamOpenVINO"),
    .systemLibrary(name: "CVStreamFreeType", pkgConfig: "freetype2", providers: [.apt(["libfreetype-dev"])]),
    .target(name: "CVStreamMemory"),
    // Layer 1: the shared value types.
    module("VStreamCore"),
    // Layer 2: files and text; tracking.
    module("VStreamSystem", ["VStreamCore"]),
    module("VStreamTracking", ["VStreamCore"]),
    // Layer 3.
    module("VStreamMedia", ["VStreamCore", "VStreamSystem", "CVStreamLibAV"]),
    // Layer 4.
    module("VStreamInference", ["VStreamCore", "VStreamSystem", "VStreamMedia", "CVStreamOpenVINO"]),
    // Layer 5.
    module(
      "VStreamDetection", ["VStreamCore", "VStreamSystem", "VStreamTracking", "VStreamMedia", "VStreamInference"]),
    module("VStreamOverlay", ["VStreamCore", "VStreamSystem", "VStreamMedia", "CVStreamFreeType"]),
    module(
      "VStreamReporting", ["VStreamCore", "VStreamSystem"],
      resources: [.embedInCode("Records/Schema/records.schema.json")]),
    // Layer 6.
    module(
      "VStreamPipeline",
      [
        "VStreamCore", "VStreamSystem", "VStreamTracking", "VStreamMedia", "VStreamInference", "VStreamDetection",
        "VStreamOverlay", "VStreamReporting", deque,
      ]),
    // Layer 7.
    module(
      "VStream",
      [
        "VStreamCore", "VStreamSystem", "VStreamTracking", "VStreamMedia", "VStreamInference", "VStreamDetection",
        "VStreamOverlay", "VStreamReporting", "VStreamPipeline",
      ]),
    .executableTarget(
      name: "VStreamCommand",
      dependencies: [
        "VStreamCore", "VStreamSystem", "VStreamTracking", "VStreamMedia", "VStreamInference", "VStreamDetection",
        "VStreamOverlay", "VStreamReporting", "VStreamPipeline", "CVStreamMemory", argumentParser,
      ],
      swiftSettings: swiftSettings),
    // Tests, one target a module.
    .target(
      name: "VStreamTestSupport", path: "Tests/VStreamTestSupport", exclude: ["file-server", "rtsp-server"],
      swiftSettings: testSettings),
    // Tools for measurements: the pipeline's steps, each alone, for scripts/checks/guard; and a counter of allocations.
    .target(name: "CVStreamAllocations", path: "Benchmarks/CVStreamAllocations"),
    .executableTarget(
      name: "StageProbe",
      dependencies: [
        "VStreamCore", "VStreamSystem", "VStreamTracking", "VStreamMedia", "VStreamInference", "VStreamDetection",
        "VStreamOverlay", "VStreamReporting",
      ],
      path: "Benchmarks/StageProbe", swiftSettings: swiftSettings),
    tests("VStreamCoreTests", ["VStreamCore"]),
    tests("VStreamSystemTests", ["VStreamSystem", "VStreamCore"]),
    tests("VStreamTrackingTests", ["VStreamTracking", "VStreamCore"]),
    tests("VStreamMediaTests", ["VStreamMedia", "VStreamCore", "VStreamSystem", "CVStreamLibAV"]),
    tests("VStreamInferenceTests", ["VStreamInference", "VStreamMedia", "VStreamCore", "VStreamSystem"]),
    tests(
      "VStreamDetectionTests",
      ["VStreamDetection", "VStreamInference", "VStreamMedia", "VStreamCore", "VStreamTracking"],
      fixtures: ["Fixtures"]),
    tests("VStreamOverlayTests", ["VStreamOverlay", "VStreamMedia", "VStreamCore"], fixtures: ["Fixtures"]),
    tests("VStreamReportingTests", ["VStreamReporting", "VStreamCore", "VStreamSystem"]),
    tests(
      "VStreamPipelineTests",
      [
        "VStreamPipeline", "VStreamDetection", "VStreamMedia", "VStreamOverlay", "VStreamReporting", "VStreamCore",
        "VStreamTracking",
      ]),
    tests("VStreamTests", ["VStream", "VStreamMedia"]),
    tests("VStreamCommandTests", ["VStreamCommand"], fixtures: ["Fixtures"]),
    // The built programs in real time; run alone.
    tests("VStreamEndToEndTests", []),
    // The seeds of scripts/checks/fuzz.
    tests("VStreamFuzzTests", fuzzed, fixtures: ["Fixtures", "LibFuzzer.swift"]),
  ]
)

// With `VSTREAM_SERVE=1`, the package also has vstream-serve and its tests. Its libraries take minutes to fetch and to build, and
// packages that use VStream need none of them.
if Context.environment["VSTREAM_SERVE"] == "1" {
  let nio = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket", "NIOTLS"].map {
    Target.Dependency.product(name: $0, package: "swift-nio")
  }
  package.dependencies += [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ]
  package.products.append(.executable(name: "vstream-serve", targets: ["VStreamServe"]))
  package.targets += [
    .executableTarget(
      name: "VStreamServe",
      dependencies: [
        "VStreamCore", "VStreamSystem", "VStreamTracking", "VStreamMedia", "VStreamInference", "VStreamDetection",
        "VStreamOverlay", "VStreamReporting", "VStreamPipeline", "CVStreamMemory", argumentParser,
        .product(name: "Yams", package: "Yams"), .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ] + nio,
      resources: ["Page/page.html", "Page/screen.js", "Page/past.js", "Page/live.js", "HTTP/openapi.json"].map {
        .embedInCode($0)
      },
      swiftSettings: swiftSettings),
    tests(
      "VStreamServeTests",
      ["VStreamServe", "VStreamMedia", "VStreamOverlay", "VStreamPipeline", "VStreamReporting", "VStreamCore", nio[0]]),
    tests("VStreamServeEndToEndTests", ["VStreamServe", "VStreamReporting", "VStreamCore"]),
  ]
}

// With `VSTREAM_EXAMPLES=1`, the programs of the package in Examples are built beside the library, and tested. With
// `VSTREAM_DOCS=1`, `swift package generate-documentation` makes the reference.
if Context.environment["VSTREAM_EXAMPLES"] == "1" {
  package.targets += ["still", "live", "newest", "detector", "marks", "frames", "faces", "requests"].map { name in
    .executableTarget(
      name: "example-\(name)", dependencies: ["VStream"], path: "Examples/Sources/\(name)", swiftSettings: testSettings)
  }
  package.targets.append(tests("VStreamExampleTests", []))
}
if Context.environment["VSTREAM_DOCS"] == "1" {
  package.dependencies.append(.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"))
}

/// The targets that are built; `nil` for all.
var selected = Context.environment["VSTREAM_TESTS"].map { Set($0.split(separator: ",").map(String.init)) }

// With `VSTREAM_FUZZ`, there is a fuzzer of the parsers instead of the tests (scripts/checks/fuzz). libFuzzer has the main
// function, so the program becomes a library without its own.
if Context.environment["VSTREAM_FUZZ"] != nil,
  let program = package.targets.first(where: { $0.name == "VStreamCommand" })
{
  package.targets.removeAll { $0.name == program.name }
  package.targets += [
    .target(
      name: program.name, dependencies: program.dependencies, exclude: ["Main.swift"], swiftSettings: swiftSettings),
    .executableTarget(
      name: "Fuzzer", dependencies: fuzzed, path: "Tests/VStreamFuzzTests", exclude: ["Fixtures", "SeedTests.swift"],
      swiftSettings: testSettings),
  ]
  selected = ["Fuzzer"]
}

// With `VSTREAM_TESTS`, the package has these test targets and what they depend on only. It is set for sanitizers, whose
// builds take minutes.
if var needed = selected {
  precondition(needed.isSubset(of: package.targets.map(\.name)), "VSTREAM_TESTS names a target that does not exist")
  var pending = needed
  while let name = pending.popFirst() {
    for case .byNameItem(let dependency, _) in package.targets.first(where: { $0.name == name })?.dependencies ?? []
    where needed.insert(dependency).inserted {
      pending.insert(dependency)
    }
  }
  package.targets.removeAll { !needed.contains($0.name) }
  package.products = []
}
