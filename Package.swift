// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

// Modules are in layers on top of the system libraries. A module uses modules to its left on its own layer and modules on the layers
// below, never one above (docs/architecture.md).

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A module and its tests.
func module(
    _ name: String, layer: String, uses: [Target.Dependency] = [], macros: [Target.Dependency] = [], tests: [Target.Dependency] = []
) -> [Target] {
    [
        .target(name: name, dependencies: uses + macros, path: "Sources/\(layer)/\(name)", swiftSettings: settings),
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
    system("CTurboJPEG", pkgConfig: "libturbojpeg", debian: "libturbojpeg0-dev"),
    system("CPNG", pkgConfig: "libpng", debian: "libpng-dev"),
    system("CWebP", pkgConfig: "libwebp", debian: "libwebp-dev"),
    // Fail points, crash bookkeeping, a steady clock, files, the service manager.
    .target(name: "SystemSupport", dependencies: ["CCrashSignals", "CFileStatus"], path: "Sources/System/SystemSupport", swiftSettings: settings),
    .testTarget(name: "SystemSupportTests", dependencies: ["SystemSupport", "TestSupport"], path: "Tests/SystemSupportTests", swiftSettings: settings),
    // Locks, semaphores, promises and signals for tasks.
    .target(
        name: "AsyncPrimitives", dependencies: [.product(name: "DequeModule", package: "swift-collections")], path: "Sources/System/AsyncPrimitives",
        swiftSettings: settings),
    .testTarget(
        name: "AsyncPrimitivesTests", dependencies: ["AsyncPrimitives", "TestSupport"], path: "Tests/AsyncPrimitivesTests", swiftSettings: settings),
    // Texts as they are compared: case, marks, look-alikes, hidden characters, domain names.
    .target(name: "UnicodeText", path: "Sources/System/UnicodeText", swiftSettings: settings),
    .testTarget(name: "UnicodeTextTests", dependencies: ["UnicodeText", "TestSupport"], path: "Tests/UnicodeTextTests", swiftSettings: settings),
    // Signal handlers for crashes.
    .target(name: "CCrashSignals", path: "Sources/System/CCrashSignals"),
    // The numbers of a file, which need a call that Swift does not see.
    .target(name: "CFileStatus", path: "Sources/System/CFileStatus"),
    // RE2 has no C interface: one C++ file provides it.
    .target(name: "CRE2", path: "Sources/System/CRE2", linkerSettings: [.linkedLibrary("re2")]),
]

let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
]
let http2: [Target.Dependency] = [
    .product(name: "NIOHTTP2", package: "swift-nio-http2"), .product(name: "NIOHPACK", package: "swift-nio-http2"),
]
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

// Listeners that wait when the system refuses connections, and a small HTTP server for metrics, health and webhooks.
let endpoints: [Target] =
    module("ListenerSupport", layer: "System", uses: [logging] + nio, tests: [nioEmbedded])
    + module(
        "HTTPEndpoint", layer: "System", uses: ["ListenerSupport", logging, .product(name: "NIOHTTP1", package: "swift-nio")] + nio,
        tests: [nioEmbedded])

let storage: [Target] =
    module(
        "EncryptedSQLite", layer: "Storage", uses: ["AsyncPrimitives", "SystemSupport", "CSodium", "COpenSSL", grdb, sqlite, logging], tests: ["StorageFaults"])

let messaging: [Target] =
    module("SMPWire", layer: "Messaging")
    + module("SMPCrypto", layer: "Messaging", uses: ["SMPWire", "CSodium", "COpenSSL"])
    + module("SMPRatchet", layer: "Messaging", uses: ["SMPWire", "SMPCrypto"])
    + module(
        "SMPTransport", layer: "Messaging",
        uses: ["AsyncPrimitives", "SystemSupport", "ListenerSupport", "SMPWire", "SMPCrypto", "COpenSSL", logging] + nio, tests: [nioEmbedded])
    + module("SMPProtocol", layer: "Messaging", uses: ["SMPWire", "SMPCrypto"], tests: ["SMPRatchet"])
    + module(
        "SMPClient", layer: "Messaging", uses: ["AsyncPrimitives", "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", logging] + nio,
        tests: ["RouterSupport", "SMPServer", "SMPSimulation", "ProcessSupport", "OfficialPeers"])
    // What routers of all kinds have: journal, certificate, control socket, metrics, limits for addresses.
    + module(
        "RouterSupport", layer: "Messaging",
        uses: [
            "AsyncPrimitives", "SystemSupport", "ListenerSupport", "HTTPEndpoint", "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", logging,
            .product(name: "NIOHTTP1", package: "swift-nio"),
        ] + nio,
        tests: ["RouterFaults"])
    + module(
        "SMPServer", layer: "Messaging",
        uses: [
            "AsyncPrimitives", "SystemSupport", "ListenerSupport", "HTTPEndpoint", "RouterSupport", "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol",
            logging,
        ] + nio,
        tests: ["RouterFaults", "ProcessSupport", "OfficialPeers", .product(name: "NIOHTTP1", package: "swift-nio")])
    + module("XFTPProtocol", layer: "Messaging", uses: ["SystemSupport", "SMPWire", "SMPCrypto", "SMPProtocol"])
    // HTTP/2 over the TLS of the network.
    + module("XFTPTransport", layer: "Messaging", uses: ["SMPWire", "SMPTransport"] + http2 + nio, tests: [nioEmbedded])
    + module(
        "XFTPClient", layer: "Messaging",
        uses: ["SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", "SMPClient", "XFTPProtocol", "XFTPTransport"] + nio,
        tests: ["OfficialPeers", "ProcessSupport"] + http2)
    + module(
        "XFTPServer", layer: "Messaging",
        uses: [
            "AsyncPrimitives", "SystemSupport", "ListenerSupport", "RouterSupport", "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", "XFTPProtocol",
            "XFTPTransport", logging,
        ] + http2 + nio,
        tests: ["XFTPClient", "SMPClient", "RouterFaults", "FileFaults", "ProcessSupport"])
    + module(
        "SMPAgent", layer: "Messaging",
        uses: [
            "AsyncPrimitives", "SystemSupport", "EncryptedSQLite", "SMPWire", "SMPCrypto", "SMPRatchet", "SMPTransport", "SMPProtocol", "SMPClient", grdb,
            logging, .product(name: "DequeModule", package: "swift-collections"),
        ],
        tests: ["SMPSimulation", "RouterSupport", "SMPServer", "ProcessSupport", "OfficialPeers"])
    + module(
        "XFTPAgent", layer: "Messaging",
        uses: [
            "AsyncPrimitives", "SystemSupport", "EncryptedSQLite", "SMPWire", "SMPCrypto", "SMPProtocol", "SMPClient", "SMPAgent", "XFTPProtocol", "XFTPClient",
            grdb, logging,
        ] + nio,
        tests: ["XFTPServer", "SMPTransport", "RouterSupport", "OfficialPeers", "ProcessSupport", "FileFaults", "StorageFaults"])

/// `JSONMacros` is a program that the compiler runs: it takes no settings, so that sanitizers (at the end of this file) stay out of it. Tests that
/// used it, and all that is linked with them, would be built twice: what it does is in a library.
let macros: [Target] =
    [.macro(name: "JSONMacros", dependencies: ["JSONMacroExpansion"], path: "Sources/Chat/JSONMacros")] + module("JSONMacroExpansion", layer: "Chat")

let chat: [Target] =
    module("ChatProtocol", layer: "Chat", uses: ["SMPWire", "SMPCrypto", "SMPProtocol", "CZstd"], macros: ["JSONMacros"])
    + module(
        "ChatAPI", layer: "Chat",
        uses: ["ChatProtocol", "SMPWire", .product(name: "DequeModule", package: "swift-collections")],
        tests: ["TranscriptSupport"])
    + module("ChatModel", layer: "Chat", uses: ["AsyncPrimitives", "ChatProtocol", "ChatAPI"], tests: ["TranscriptSupport"])
    // The decisions of chats, groups and channels, without a store or an agent.
    + module("ChatRules", layer: "Chat", uses: ["UnicodeText", "ChatProtocol", "ChatAPI", "SMPProtocol", "SMPCrypto", "SMPWire"])
    // The tables of chats: what is stored of users, contacts, groups, items, files and deliveries.
    + module(
        "ChatStore", layer: "Chat",
        uses: [
            "SystemSupport", "ChatProtocol", "ChatAPI", "ChatRules", "XFTPProtocol", "SMPProtocol", "SMPCrypto", "SMPWire", "EncryptedSQLite", grdb, logging,
        ])
    + module(
        "ChatEngine", layer: "Chat",
        uses: [
            "AsyncPrimitives", "SystemSupport", "UnicodeText", "ChatProtocol", "ChatAPI", "ChatRules", "ChatStore", "SMPAgent", "SMPClient", "SMPProtocol",
            "SMPTransport", "SMPCrypto", "SMPWire", "XFTPAgent", "XFTPProtocol", "EncryptedSQLite", grdb, logging,
        ],
        tests: ["ChatSimulation", "SMPSimulation", "SMPServer", "TranscriptSupport", "StorageFaults", "FileFaults"])
    // Connections and files in memory, for the chat layer without the messaging layer.
    + module(
        "ChatSimulation", layer: "Chat",
        uses: [
            "ChatEngine", "ChatRules", "ChatStore", "ChatAPI", "ChatProtocol", "SMPAgent", "SMPClient", "SMPProtocol", "SMPCrypto", "SMPWire", "XFTPAgent",
            "XFTPProtocol",
            "EncryptedSQLite",
        ])
    + module(
        "ChatSocket", layer: "Chat",
        uses: [
            "ListenerSupport", "HTTPEndpoint", "ChatProtocol", "ChatAPI", "SMPWire", "SMPCrypto", logging, .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOWebSocket", package: "swift-nio"), .product(name: "DequeModule", package: "swift-collections"),
        ] + nio,
        tests: [nioEmbedded])

let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals: Target.Dependency = .product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let bots: [Target] =
    // Requests to servers of the web.
    module(
        "WebClient", layer: "Bots", uses: ["AsyncPrimitives", "SMPTransport", "SMPWire", .product(name: "NIOHTTP1", package: "swift-nio")] + nio,
        tests: ["HTTPEndpoint", logging])
    // Traces and metrics for collectors of OpenTelemetry.
    + module(
        "Telemetry", layer: "Bots", uses: ["AsyncPrimitives", "ChatProtocol", "WebClient", logging, metrics, tracing],
        tests: ["HTTPEndpoint", .product(name: "NIOHTTP1", package: "swift-nio")])
    // Pictures for previews.
    + module("Pictures", layer: "Bots", uses: ["CTurboJPEG", "CPNG", "CWebP"])
    // The process of a core: its data folder, the routers in it, settings, monitoring, logs and faults.
    + module(
        "Hosting", layer: "Bots",
        uses: [
            "CCrashSignals", "SystemSupport", "ChatAPI", "ChatProtocol", "ChatRules", "ChatEngine", "ChatSocket", "SMPWire", "SMPProtocol", "SMPTransport",
            "SMPClient", "RouterSupport", "SMPServer", "XFTPServer", "EncryptedSQLite", "HTTPEndpoint", "CQRencode", logging, metrics,
            .product(name: "NIOHTTP1", package: "swift-nio"),
            // For tests of routers, and for versions of databases.
            "SMPCrypto", "XFTPClient", "XFTPProtocol", "ChatStore", sqlite,
            "Telemetry",
        ] + nio,
        tests: ["StorageFaults", "SMPSimulation", grdb])
    + module(
        "Parley", layer: "Bots",
        uses: [
            "AsyncPrimitives", "SystemSupport", "UnicodeText", "ChatAPI", "ChatProtocol", "ChatRules", "ChatEngine", "ChatModel", "Hosting", "Telemetry",
            "SMPWire", "SMPCrypto", "XFTPProtocol", "EncryptedSQLite", "Pictures", "WebClient", "CRE2", grdb, logging, metrics, tracing, lifecycle, signals,
            .product(name: "DequeModule", package: "swift-collections"),
        ],
        tests: [
            "SMPSimulation", "SMPProtocol", "ChatStore", "StorageFaults", "ParleyRules",
            .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        ] + nio)
    + module(
        "ParleyRules", layer: "Bots",
        uses: [
            "AsyncPrimitives", "SystemSupport", "UnicodeText", "HTTPEndpoint", "WebClient", "Parley", "ChatAPI", "ChatProtocol", "SMPCrypto", logging, signals,
            .product(name: "NIOHTTP1", package: "swift-nio"), .product(name: "Yams", package: "Yams"),
        ],
        tests: ["ParleyTesting"])
    // Bots under test: people, groups and time.
    + module(
        "ParleyTesting", layer: "Bots",
        uses: [
            "Parley", "ChatAPI", "ChatProtocol", "ChatEngine", "ChatSimulation", "SMPSimulation", "SMPAgent", "SMPClient", "SMPProtocol", "SMPWire",
            "XFTPServer", "XFTPProtocol", logging,
        ],
        tests: ["ChatStore", "SMPCrypto"])

let apps: [Target] = [
    .executableTarget(
        name: "ParleyCLI",
        dependencies: [
            "AsyncPrimitives", "CCrashSignals", "SystemSupport", "Hosting", "Parley", "ParleyRules", "ChatAPI", "ChatSocket", "ChatProtocol", "SMPWire",
            "SMPCrypto", "SMPTransport", "SMPProtocol", "RouterSupport", "SMPServer", "XFTPServer", "EncryptedSQLite", "WebClient", "Telemetry", logging,
            lifecycle, signals, arguments,
        ] + nio,
        path: "Sources/Apps/ParleyCLI", swiftSettings: settings),
    .testTarget(
        name: "ParleyCLITests",
        dependencies: [
            "AsyncPrimitives", "ParleyCLI", "Hosting", "Parley", "ParleyRules", "ChatAPI", "ChatProtocol", "SMPWire", "SMPCrypto", "SMPTransport",
            "SMPProtocol", "RouterSupport", "XFTPProtocol", "XFTPClient", "EncryptedSQLite", "OfficialPeers", "ProcessSupport", "TestSupport", "VectorSupport",
            "HTTPEndpoint",
            arguments, .product(name: "NIOHTTP1", package: "swift-nio"),
        ] + nio,
        path: "Tests/ParleyCLITests", swiftSettings: settings),
]

/// The settings of examples and their tests: those of a new package, as people copy them into theirs.
let exampleSettings: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// An example bot, as an executable.
func example(_ name: String, uses: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: ["Parley"] + uses, path: "Examples/\(name)", exclude: ["README.md"], swiftSettings: exampleSettings)
}

let examples: [Target] = [
    example("EchoBot"), example("SquaringBot"), example("SurveyBot"), example("ReminderBot"), example("BroadcastBot"), example("BridgeBot"),
    example("DoormanBot"), example("GuardBot", uses: [logging]), example("SupportDesk"),
    example("FileDropBot"), example("ChannelPoster", uses: [logging]), example("RelayBot", uses: [logging]), example("CommentModerator"),
    example("DirectoryBot"), example("AssistantBot"), example("OrderBot"),
    .testTarget(
        name: "ExamplesTests",
        dependencies: [
            "EchoBot", "SquaringBot", "DoormanBot", "GuardBot", "SupportDesk", "FileDropBot", "SurveyBot", "ReminderBot", "BroadcastBot", "BridgeBot",
            "ChannelPoster", "RelayBot", "CommentModerator", "DirectoryBot", "AssistantBot", "OrderBot", "Parley", "ParleyTesting", "TestSupport",
        ] + nio, path: "Tests/ExamplesTests", swiftSettings: exampleSettings),
]

/// Tests across modules that run the built programs as processes.
let processTests: [Target] = [
    .testTarget(
        name: "ReliabilityTests",
        dependencies: ["SystemSupport", "ParleyCLI", "Parley", "ChatAPI", "ChatProtocol", "ProcessSupport", "OfficialPeers", "TestSupport", grdb],
        path: "Tests/ReliabilityTests", swiftSettings: settings)
]

/// Agents and routers in one process with simulated time, randomness and faults: tests or, for `make simulate`, a program that runs many
/// seeds on all cores.
let simulatedModules: [Target.Dependency] = [
    "AsyncPrimitives", "RouterFaults", "SMPAgent", "RouterSupport", "SMPServer", "SMPClient", "SMPProtocol", "SMPTransport", "SMPRatchet", "SMPCrypto",
    "SMPWire", "EncryptedSQLite", "TestSupport", grdb, logging,
]
let simulations: [Target] = [
    Context.environment["PARLEY_SIMULATION"] == nil
        ? .testTarget(
            name: "SimulationTests", dependencies: simulatedModules, path: "Tests/SimulationTests", exclude: ["Driver"], swiftSettings: settings)
        : .executableTarget(
            name: "ParleySimulation", dependencies: simulatedModules, path: "Tests/SimulationTests", exclude: ["Tests"], swiftSettings: settings)
]

/// Agents and a router over real connections that a proxy cuts, damages and delays.
let chaos: [Target] = [
    .target(name: "ChaosProxy", dependencies: nio, path: "Tests/Support/ChaosProxy", swiftSettings: settings),
    .testTarget(
        name: "ChaosTests",
        dependencies: [
            "ChaosProxy", "StorageFaults", "RouterFaults", "TestSupport", "SMPAgent", "RouterSupport", "SMPServer", "SMPClient", "SMPProtocol", "SMPCrypto",
            "SMPWire",
            grdb,
        ] + nio,
        path: "Tests/ChaosTests", swiftSettings: settings),
]

/// Attacks on the built programs over the network.
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
    // Seeded randomness, and time limits.
    .target(name: "TestSupport", path: "Tests/Support/TestSupport", swiftSettings: settings),
    // Programs as child processes, for tests and benchmarks.
    .target(
        name: "ProcessSupport", dependencies: ["ChatProtocol", "SMPTransport", "TestSupport"], path: "Tests/Support/ProcessSupport", swiftSettings: settings),
    .testTarget(
        name: "ProcessSupportTests", dependencies: ["ProcessSupport"] + nio, path: "Tests/ProcessSupportTests", swiftSettings: settings),
    // Injected disk faults below SQLite.
    .target(name: "StorageFaults", dependencies: ["EncryptedSQLite", "TestSupport", sqlite], path: "Tests/Support/StorageFaults", swiftSettings: settings),
    // Injected disk faults below the router's journal.
    .target(name: "RouterFaults", dependencies: ["RouterSupport", "SMPWire", "TestSupport"], path: "Tests/Support/RouterFaults", swiftSettings: settings),
    // Injected disk faults below files that are transferred, and below the chunks of a file router.
    .target(name: "FileFaults", dependencies: ["XFTPProtocol"], path: "Tests/Support/FileFaults", swiftSettings: settings),
    .target(name: "VectorSupport", path: "Tests/Support/VectorSupport", swiftSettings: settings),
    .target(
        name: "SMPSimulation", dependencies: ["SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", "SMPClient"], path: "Sources/Messaging/SMPSimulation",
        swiftSettings: settings),
    // The official programs as child processes.
    .target(
        name: "OfficialPeers",
        dependencies: [
            "ProcessSupport", "ChatProtocol", "SMPProtocol", "SMPWire", "TestSupport", .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOWebSocket", package: "swift-nio"),
        ] + nio,
        path: "Tests/Support/OfficialPeers", swiftSettings: settings),
    .testTarget(
        name: "OfficialPeersTests", dependencies: ["OfficialPeers", "ProcessSupport", "ChatProtocol"], path: "Tests/OfficialPeersTests",
        swiftSettings: settings),
    // Parley with the official programs, if SIMPLEX_PEERS names their folder.
    .testTarget(
        name: "InteropTests",
        dependencies: [
            "OfficialPeers", "ProcessSupport", "ChaosProxy", "ParleyCLI", "ChatEngine", "ChatAPI", "ChatProtocol", "SMPAgent", "RouterSupport", "SMPServer",
            "SMPClient",
            "SMPCrypto", "SMPProtocol", "SMPWire", "XFTPProtocol", "EncryptedSQLite", "TestSupport", grdb, "GuardBot", "SupportDesk", "DirectoryBot",
            "RelayBot", "ChannelPoster", "CommentModerator",
        ],
        path: "Tests/Interop", swiftSettings: settings),
    .target(
        name: "TranscriptSupport", dependencies: ["VectorSupport", "ChatProtocol"], path: "Tests/Support/TranscriptSupport",
        swiftSettings: settings),
]

/// The fuzzing targets: tests that replay their corpus or, for `make fuzz`, a program that searches for new inputs.
let fuzzedModules: [Target.Dependency] = [
    "SMPWire", "SMPCrypto", "SMPTransport", "SMPProtocol", "SMPRatchet", "SMPAgent", "RouterSupport", "SMPServer", "XFTPProtocol", "ChatProtocol", "ChatAPI",
    "ChatRules", "ChatStore", "ChatEngine",
    "Parley", "ParleyRules", "EncryptedSQLite", "TestSupport", "VectorSupport", grdb,
]
let fuzzing: [Target] = [
    Context.environment["PARLEY_FUZZ"] == nil
        ? .testTarget(
            name: "FuzzTests", dependencies: fuzzedModules, path: "Tests/FuzzTests", exclude: ["Corpus", "Driver", "fuzz"], swiftSettings: settings)
        : .executableTarget(
            name: "ParleyFuzz", dependencies: fuzzedModules, path: "Tests/FuzzTests", exclude: ["Corpus", "CorpusTests.swift", "MutationTests.swift", "fuzz"],
            swiftSettings: settings)
]

let benchmarks: [Target] = [
    .executableTarget(
        name: "ParleyBench",
        dependencies: [
            "OfficialPeers", "ProcessSupport", "Parley", "ParleyRules", "ParleyTesting", "ChatAPI", "ChatProtocol", "SMPAgent", "SMPClient", "SMPTransport",
            "SMPProtocol",
            "SMPRatchet", "SMPCrypto", "SMPWire", "EncryptedSQLite", grdb, arguments,
        ] + nio,
        path: "Benchmarks/ParleyBench", swiftSettings: settings)
]

let package = Package(
    name: "parley",
    products: [
        .executable(name: "parley", targets: ["ParleyCLI"]),
        .library(name: "Parley", targets: ["Parley"]),
        .library(name: "ParleyRules", targets: ["ParleyRules"]),
        .library(name: "ParleyTesting", targets: ["ParleyTesting"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-collections.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
    ],
    targets: systemLibraries + endpoints + storage + messaging + macros + chat + bots + apps + examples + benchmarks + processTests + testSupport + fuzzing
        + simulations
        + chaos
        + attacks,
    cxxLanguageStandard: .cxx17
)

// `PARLEY_TESTS=ChatEngineTests,ParleyTests swift build --build-tests` builds these test modules with what they need, and no examples or programs that
// they do not need. `PARLEY_TESTS=ParleyCLI` builds the command only.
if let names = Context.environment["PARLEY_TESTS"] {
    var needed: Set<String> = []
    var open = names.split(separator: ",").map(String.init)
    while let name = open.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): open.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { product in
        switch product {
        case let product as Product.Library: !product.targets.allSatisfy(needed.contains)
        case let product as Product.Executable: !product.targets.allSatisfy(needed.contains)
        default: false
        }
    }
}

// ThreadSanitizer does not see the locks of `Synchronization` on Linux: `make sanitize` replaces them by pthread mutexes.
if Context.environment["PARLEY_SANITIZE"] == "thread" {
    let locks = "SanitizedSynchronization"
    for target in package.targets where target.swiftSettings != nil {
        target.dependencies.append(.target(name: locks))
        target.swiftSettings?.append(.unsafeFlags(["-module-alias", "Synchronization=\(locks)"]))
    }
    package.targets.append(.target(name: locks, path: "Tests/Support/\(locks)", swiftSettings: settings))
}
