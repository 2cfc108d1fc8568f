// swift-tools-version: 6.2
import PackageDescription

/// Short programs that use the library. In a package of your own, give the repository's URL instead of the path.
let package = Package(
  name: "Examples",
  dependencies: [.package(name: "vstream", path: "..")],
  targets: ["still", "live", "newest", "detector", "marks", "frames", "faces", "requests"].map { name in
    .executableTarget(name: name, dependencies: [.product(name: "VStream", package: "vstream")])
  }
)
