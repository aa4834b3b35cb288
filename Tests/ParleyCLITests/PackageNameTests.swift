import Foundation
import ProcessSupport
import Testing

@testable import ParleyCLI

/// Folders in which `parley init --swift` could not make a package that builds.
@Suite struct PackageNameTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized

    /// The names in the manifest of Parley: its modules, those of its packages, and the packages themselves.
    private static func names() throws -> Set<String> {
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        return Set(manifest.matches(of: /"([A-Za-z][A-Za-z0-9_-]*)"/).map { String($0.1) })
    }

    /// Modules of the compiler and of packages that the manifest does not name.
    private static let others = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Glibc", "Testing", "XCTest", "Synchronization", "Observation",
        "RegexBuilder", "Logging", "CoreMetrics", "Metrics", "Atomics", "NIO", "NIOCore", "NIOPosix", "Collections", "DequeModule", "Crypto",
    ]

    @Test func aModuleNeverHasTheNameOfOneThatItIsBuiltWith() throws {
        let names = try Self.names().union(Self.others)
        // The examples of Parley are programs, and no package is built with them. The folders of the sources hold modules, and are none.
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent("Sources").path)
        let modules = names.filter { !$0.hasSuffix("Bot") && !$0.hasSuffix("BotTests") }.subtracting(folders)
        #expect(modules.isSuperset(of: ["Parley", "ParleyTesting", "ChatAPI", "SMPCrypto"]))
        for name in names {
            for folder in [name, name.lowercased(), "/tmp/\(name)/", "my/\(name.uppercased())"] {
                let module = try #require(SwiftPackageTemplate(folder: folder, parley: "../parley", botName: "Bot")?.module)
                #expect(!modules.contains(module) && !modules.contains(module + "Tests"), "\(folder) makes \(module)")
            }
        }
    }

    @Test(arguments: ["a", "A1", "-a-", "a b", "ünïcode x", "1", "bot", "BOT", "x.y.z", "$a", "class", "self", "Type", "protocol", "init"])
    func aModuleIsANameOfSwift(_ folder: String) throws {
        let template = try #require(SwiftPackageTemplate(folder: folder, parley: "../parley", botName: "Bot"))
        #expect(template.module.wholeMatch(of: /[A-Z][A-Za-z0-9]*/) != nil, "\(template.module)")
        let files = Dictionary(uniqueKeysWithValues: template.files.map { ($0.key, $0.value) })
        #expect(files["Sources/\(template.module).swift"]?.contains("@main struct \(template.module)Program {") == true)
        #expect(files["Tests/\(template.module)Tests.swift"]?.contains("@testable import \(template.module)\n") == true)
        #expect(files["Package.swift"]?.contains("name: \"\(template.module)Tests\"") == true)
    }

    /// The folder of the package and that of Parley, as the package names it: a package is known by the last part of its path.
    @Test(
        arguments: [
            ("parley", "../../parley", true), ("bots/parley", "../../parley", true), ("Parley", "../src/parley/", true), ("bots/parley", "../../PARLEY", true),
            ("x/../parley", "../../parley", true), ("parley", "/opt/parley", true), ("parley", "/opt/parley/.", true), ("mine/swift", "../../swift", true),
            ("bot", "../parley", false), ("parley-bot", "../parley", false), ("parley", "../parley-main", false), ("parley", "/opt/parley/src", false),
            ("bot", "/opt/bot/parley", false), ("parley/bot", "../../parley", false),
        ])
    func aPackageDoesNotHaveTheNameOfParleysFolder(_ folder: String, _ parley: String, _ isRefused: Bool) throws {
        #expect(try #require(SwiftPackageTemplate(folder: folder, parley: parley, botName: "Bot")).isNamedAsParley == isRefused)
    }

    @Test func suchAFolderIsRefusedAndNothingIsWritten() async throws {
        let folder = try ScratchFolder("package-name")
        defer { folder.remove() }
        let refused = try await run(["init", "--swift", folder("parley")])
        #expect(refused.exitCode == 2 && refused.errors.contains("[init.name]") && refused.errors.contains("name another folder"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: folder("parley")))
        let made = try await run(["init", "--swift", folder("foundation")])
        #expect(made.exitCode == 0, "\(made)")
        #expect(FileManager.default.fileExists(atPath: folder("foundation/Sources/FoundationBot.swift")))
        #expect(made.errors.contains("There are no sources of Parley at \(folder("parley"))"), "\(made)")
        let built = try await run(["init", "--swift", folder("other"), "--parley", Self.root.path])
        #expect(built.exitCode == 0 && built.errors.isEmpty, "\(built)")
    }
}
