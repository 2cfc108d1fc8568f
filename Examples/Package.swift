// swift-tools-version: 6.2
import PackageDescription

/// Programs that use the library, each as short as it can be. A package of your own names the repository's address instead of
/// the path.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "vstream", path: "..")],
  targets: [
    .executableTarget(name: "still", dependencies: [.product(name: "VStream", package: "vstream")]),
    .executableTarget(name: "live", dependencies: [.product(name: "VStream", package: "vstream")]),
  ]
)
