// swift-tools-version: 6.2
import PackageDescription

/// A server that uses the library. In a package of your own, give the repository's URL instead of the path.
let package = Package(
  name: "Server",
  dependencies: [
    .package(name: "vstream", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
  ],
  targets: [
    .executableTarget(
      name: "server",
      dependencies: [
        .product(name: "VStream", package: "vstream"), .product(name: "Hummingbird", package: "hummingbird"),
      ])
  ]
)
