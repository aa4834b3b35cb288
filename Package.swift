// swift-tools-version: 6.1
import PackageDescription

// The house: four floors on top of the system libraries. A room uses rooms to its left on its own floor and rooms on the
// floors below, never one above.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A room and its tests.
func room(_ name: String, on floor: String, uses: [Target.Dependency] = [], tests: [Target.Dependency] = []) -> [Target] {
    [
        .target(name: name, dependencies: uses, path: "Sources/\(floor)/\(name)", swiftSettings: settings),
        .testTarget(
            name: "\(name)Tests", dependencies: [.target(name: name), "TestSupport", "VectorSupport"] + uses + tests,
            path: "Tests/\(name)Tests", swiftSettings: settings),
    ]
}

/// A C library of the system, named by its Debian package.
func system(_ name: String, pkgConfig: String, debian: String) -> Target {
    .systemLibrary(name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

let systemLibraries: [Target] = [
    system("CSodium", pkgConfig: "libsodium", debian: "libsodium-dev"),
    system("COpenSSL", pkgConfig: "openssl", debian: "libssl-dev"),
    system("CZstd", pkgConfig: "libzstd", debian: "libzstd-dev"),
    system("CQRencode", pkgConfig: "libqrencode", debian: "libqrencode-dev"),
    // Fail points, crash bookkeeping, a steady clock, files, the service manager.
    .target(name: "SystemSupport", path: "Sources/System/SystemSupport", swiftSettings: settings),
    .testTarget(name: "SystemSupportTests", dependencies: ["SystemSupport", "TestSupport"], path: "Tests/SystemSupportTests", swiftSettings: settings),
    // Locks, semaphores, promises and signals for tasks.
    .target(
        name: "AsyncPrimitives", dependencies: [.product(name: "DequeModule", package: "swift-collections")], path: "Sources/System/AsyncPrimitives",
        swiftSettings: settings),
    .testTarget(
        name: "AsyncPrimitivesTests", dependencies: ["AsyncPrimitives", "TestSupport"], path: "Tests/AsyncPrimitivesTests", swiftSettings: settings),
    // The end of a process that crashes.
    .target(name: "CCrashSignals", path: "Sources/System/CCrashSignals"),
    // RE2 has no C interface of its own: one C++ file gives it one.
    .target(name: "CRE2", path: "Sources/System/CRE2", linkerSettings: [.linkedLibrary("re2")]),
]

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
]
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let storage: [Target] =
    room("EncryptedSQLite", on: "Storage", uses: ["AsyncPrimitives", "SystemSupport", "CSodium", "COpenSSL", grdb, sqlite, logging], tests: ["StorageFaults"])

let messaging: [Target] =
    room("SMPWire", on: "Messaging")
    + room("SMPCrypto", on: "Messaging", uses: ["SMPWire", "CSodium", "COpenSSL"])
    + room("SMPRatchet", on: "Messaging", uses: ["SMPWire", "SMPCrypto"])
    + room("SMPTransport", on: "Messaging", uses: ["AsyncPrimitives", "SystemSupport", "SMPWire", "SMPCrypto", "COpenSSL"] + nio, tests: [nioEmbedded])
    + room("SMPProtocol", on: "Messaging", uses: ["SMPWire", "SMPCrypto"], tests: ["SMPRatchet"])
    + room(
        "SMPClient", on: "Messaging", uses: ["AsyncPrimitives", "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", logging] + nio,
        tests: ["SMPServer", "SMPSimulation", "ProcessSupport", "OfficialPeers"])
    + room(
        "SMPServer", on: "Messaging",
        uses: [
            "AsyncPrimitives", "SystemSupport", "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", logging,
            .product(name: "NIOHTTP1", package: "swift-nio"),
        ] + nio,
        tests: ["RouterFaults", "ProcessSupport", "OfficialPeers"])
    + room(
        "SMPAgent", on: "Messaging",
        uses: [
            "AsyncPrimitives", "SystemSupport", "EncryptedSQLite", "SMPWire", "SMPCrypto", "SMPRatchet", "SMPTransport", "SMPProtocol", "SMPClient", grdb,
            logging,
        ],
        tests: ["SMPSimulation", "SMPServer", "ProcessSupport", "OfficialPeers"])

let chat: [Target] =
    room("ChatProtocol", on: "Chat", uses: ["SMPWire", "SMPCrypto", "SMPProtocol", "CZstd"])
    + room(
        "ChatAPI", on: "Chat",
        uses: ["ChatProtocol", "SMPWire", .product(name: "DequeModule", package: "swift-collections")],
        tests: ["TranscriptSupport"])
    + room("ChatModel", on: "Chat", uses: ["AsyncPrimitives", "ChatProtocol", "ChatAPI"], tests: ["TranscriptSupport"])
    + room(
        "ChatEngine", on: "Chat",
        uses: [
            "AsyncPrimitives", "SystemSupport", "ChatProtocol", "ChatAPI", "SMPAgent", "SMPClient", "SMPProtocol", "SMPCrypto",
            "SMPWire",
            "EncryptedSQLite", grdb, logging,
        ],
        tests: ["SMPSimulation", "SMPServer", "TranscriptSupport", "StorageFaults"])

    + room(
        "ChatSocket", on: "Chat",
        uses: [
            "ChatProtocol", "ChatAPI", "SMPWire", logging, .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOWebSocket", package: "swift-nio"), .product(name: "DequeModule", package: "swift-collections"),
        ] + nio,
        tests: [nioEmbedded])

let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let bots: [Target] =
    room(
        "Parley", on: "Bots",
        uses: [
            "AsyncPrimitives", "CCrashSignals", "SystemSupport", "ChatAPI", "ChatProtocol", "ChatEngine", "ChatModel", "SMPWire",
            "SMPProtocol", "SMPTransport", "SMPServer", "EncryptedSQLite", "CRE2",
            "CQRencode", grdb, logging, lifecycle, signals, .product(name: "DequeModule", package: "swift-collections"),
        ])
    + room("ParleyRules", on: "Bots", uses: ["Parley", "ChatAPI", "ChatProtocol", .product(name: "Yams", package: "Yams")])

let apps: [Target] = [
    .executableTarget(
        name: "ParleyCLI",
        dependencies: [
            "AsyncPrimitives", "SystemSupport", "Parley", "ParleyRules", "ChatAPI", "ChatSocket", "ChatProtocol", "SMPWire", "SMPCrypto", "SMPTransport",
            "SMPProtocol",
            "SMPServer", "EncryptedSQLite", logging,
            lifecycle, signals, arguments,
        ],
        path: "Sources/Apps/ParleyCLI", swiftSettings: settings),
    .testTarget(
        name: "ParleyCLITests",
        dependencies: [
            "AsyncPrimitives", "ParleyCLI", "Parley", "ChatAPI", "ChatProtocol", "SMPTransport", "EncryptedSQLite", "ProcessSupport", "TestSupport",
        ],
        path: "Tests/ParleyCLITests", swiftSettings: settings),
]

/// A bot that shows one thing, as an executable of its own.
func example(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: ["Parley"], path: "Examples/\(name)", swiftSettings: settings)
}

let examples: [Target] = [example("EchoBot"), example("SquaringBot"), example("DoormanBot")]

/// Tests of the whole, across rooms: they run the built programs as processes.
let wholes: [Target] = [
    .testTarget(
        name: "ReliabilityTests", dependencies: ["SystemSupport", "ParleyCLI", "Parley", "ChatAPI", "ChatProtocol", "ProcessSupport", "TestSupport"],
        path: "Tests/ReliabilityTests", swiftSettings: settings)
]

/// Agents and routers in one process with simulated time, chance and faults: tests or, where `make simulate` builds it, a program that goes
/// through many seeds on all cores.
let simulatedRooms: [Target.Dependency] = [
    "RouterFaults", "SMPAgent", "SMPServer", "SMPClient", "SMPProtocol", "SMPTransport", "SMPRatchet", "SMPCrypto", "SMPWire", "EncryptedSQLite", "TestSupport",
    grdb, logging,
]
let simulations: [Target] = [
    Context.environment["PARLEY_SIMULATION"] == nil
        ? .testTarget(
            name: "SimulationTests", dependencies: simulatedRooms, path: "Tests/SimulationTests", exclude: ["Driver"], swiftSettings: settings)
        : .executableTarget(
            name: "ParleySimulation", dependencies: simulatedRooms, path: "Tests/SimulationTests", exclude: ["Tests"], swiftSettings: settings)
]

/// Agents and a router over real connections that are treated badly.
let chaos: [Target] = [
    .target(name: "ChaosProxy", dependencies: nio, path: "Tests/Support/ChaosProxy", swiftSettings: settings),
    .testTarget(
        name: "ChaosTests",
        dependencies: [
            "ChaosProxy", "StorageFaults", "RouterFaults", "TestSupport", "SMPAgent", "SMPServer", "SMPClient", "SMPProtocol", "SMPCrypto", "SMPWire",
            grdb,
        ] + nio,
        path: "Tests/ChaosTests", swiftSettings: settings),
]

/// Strangers who attack the built programs.
let attacks: [Target] = [
    .testTarget(
        name: "AttackTests",
        dependencies: [
            "ParleyCLI", "OfficialPeers", "ProcessSupport", "VectorSupport", "TestSupport", "ChatProtocol", "SMPAgent", "SMPClient", "SMPProtocol",
            "SMPRatchet", "SMPCrypto", "SMPTransport", "SMPWire",
        ],
        path: "Tests/AttackTests", swiftSettings: settings)
]

let testSupport: [Target] = [
    // Chance that follows from a seed, and limits of time.
    .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: settings),
    // Programs as child processes, for tests and benchmarks.
    .target(
        name: "ProcessSupport", dependencies: ["ChatProtocol", "SMPTransport", "TestSupport"], path: "Tests/Support/ProcessSupport", swiftSettings: settings),
    .testTarget(
        name: "ProcessSupportTests", dependencies: ["ProcessSupport"] + nio, path: "Tests/ProcessSupportTests", swiftSettings: settings),
    // A disk that fails, beneath SQLite.
    .target(name: "StorageFaults", dependencies: ["EncryptedSQLite", "TestSupport", sqlite], path: "Tests/Support/StorageFaults", swiftSettings: settings),
    // A disk that fails, beneath the router's journal.
    .target(name: "RouterFaults", dependencies: ["SMPServer", "SMPWire", "TestSupport"], path: "Tests/Support/RouterFaults", swiftSettings: settings),
    .target(name: "VectorSupport", path: "Tests/Support/VectorSupport", swiftSettings: settings),
    .target(
        name: "SMPSimulation", dependencies: ["SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", "SMPClient"], path: "Tests/Support/SMPSimulation",
        swiftSettings: settings),
    // The official programs among them.
    .target(
        name: "OfficialPeers",
        dependencies: [
            "ProcessSupport", "ChatProtocol", "SMPProtocol", "SMPWire", .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOWebSocket", package: "swift-nio"),
        ] + nio,
        path: "Tests/Support/OfficialPeers", swiftSettings: settings),
    .testTarget(
        name: "OfficialPeersTests", dependencies: ["OfficialPeers", "ProcessSupport", "ChatProtocol"], path: "Tests/OfficialPeersTests",
        swiftSettings: settings),
    // Parley with the official programs, where SIMPLEX_PEERS names their folder.
    .testTarget(
        name: "InteropTests",
        dependencies: [
            "OfficialPeers", "ProcessSupport", "ChaosProxy", "ParleyCLI", "ChatEngine", "ChatAPI", "ChatProtocol", "SMPAgent", "SMPServer", "SMPClient",
            "SMPCrypto", "SMPProtocol", "SMPWire", "EncryptedSQLite", "TestSupport", grdb,
        ],
        path: "Tests/Interop", swiftSettings: settings),
    .target(
        name: "TranscriptSupport", dependencies: ["VectorSupport", "ChatProtocol"], path: "Tests/Support/TranscriptSupport",
        swiftSettings: settings),
]

/// The fuzzing targets: tests that go through their corpus or, where `make fuzz` builds them, a program that searches for more.
let fuzzedRooms: [Target.Dependency] = [
    "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", "SMPRatchet", "SMPAgent", "SMPServer", "ChatProtocol", "ChatAPI", "ChatEngine", "ParleyRules",
    "EncryptedSQLite", "TestSupport", "VectorSupport", grdb,
]
let fuzzing: [Target] = [
    Context.environment["PARLEY_FUZZ"] == nil
        ? .testTarget(
            name: "FuzzTests", dependencies: fuzzedRooms, path: "Tests/FuzzTests", exclude: ["Corpus", "Driver", "fuzz"], swiftSettings: settings)
        : .executableTarget(
            name: "ParleyFuzz", dependencies: fuzzedRooms, path: "Tests/FuzzTests", exclude: ["Corpus", "CorpusTests.swift", "MutationTests.swift", "fuzz"],
            swiftSettings: settings)
]

let benchmarks: [Target] = [
    .executableTarget(
        name: "ParleyBench",
        dependencies: [
            "OfficialPeers", "ProcessSupport", "ChatProtocol", "SMPAgent", "SMPClient", "SMPTransport", "SMPProtocol", "SMPRatchet",
            "SMPCrypto", "SMPWire", "EncryptedSQLite", grdb, arguments,
        ] + nio,
        path: "Benchmarks/ParleyBench", swiftSettings: settings)
]

let package = Package(
    name: "parley",
    products: [
        .executable(name: "parley", targets: ["ParleyCLI"]),
        .library(name: "Parley", targets: ["Parley"]),
        .library(name: "ParleyRules", targets: ["ParleyRules"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: systemLibraries + storage + messaging + chat + bots + apps + examples + benchmarks + wholes + testSupport + fuzzing + simulations + chaos
        + attacks,
    cxxLanguageStandard: .cxx17
)

// ThreadSanitizer does not see the locks of `Synchronization` on Linux: `make sanitize` puts pthread mutexes in their place.
if Context.environment["PARLEY_SANITIZE"] == "thread" {
    let locks = "SanitizedSynchronization"
    for target in package.targets where target.swiftSettings != nil {
        target.dependencies.append(.target(name: locks))
        target.swiftSettings?.append(.unsafeFlags(["-module-alias", "Synchronization=\(locks)"]))
    }
    package.targets.append(.target(name: locks, path: "Tests/Support/\(locks)", swiftSettings: settings))
}
