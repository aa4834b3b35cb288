// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "polls",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: "../parley")],
    targets: [
        .executableTarget(
            name: "polls", dependencies: [.product(name: "Parley", package: "parley")], path: "Sources",
            swiftSettings: [.swiftLanguageMode(.v6)])
    ])
