import Foundation
import Logging
import SMPServer
import SMPWire
import TestSupport
import Testing

@testable import Hosting

/// The router inside a bot's process, as the network sees it.
@Suite struct EmbeddedRouterTests {
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder(isCreated: false)
        try await body(folder.path)
    }

    private func start(_ host: String, in folder: String, _ body: (_ address: String, _ published: String) async throws -> Void) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (router, address) = try await EmbeddedRouter.start(EmbeddedRouterConfiguration(host: host), folder: folder, logger: logger)
        do {
            try await body(address.wireString, router.address.wireString)
        } catch {
            await router.stop()
            throw error
        }
        await router.stop()
    }

    @Test func aRouterThatOthersCanReachHasAPasswordWhichItsOwnProfilesKnow() async throws {
        try await withFolder { folder in
            let path = folder + "/password"
            var first = ""
            try await start("bots.example", in: folder) { address, published in
                let password = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .newlines)
                #expect(password.count >= 24)
                #expect(address.contains(":\(password)@bots.example") && !published.contains(password))
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                first = address
            }
            // It stays: addresses with it are in the profiles.
            try await start("bots.example", in: folder) { address, _ in #expect(address == first) }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func aRouterOnTheLoopbackInterfaceHasNone(_ host: String) async throws {
        try await withFolder { folder in
            try await start(host, in: folder) { address, published in
                #expect(address == published)
                #expect(!FileManager.default.fileExists(atPath: folder + "/password"))
            }
        }
    }

    @Test func aPasswordThatCannotBeOneIsRefusedWithAWayOut() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for text in ["", "\n", "two words", "a@b", "line\nline"] {
                try text.write(toFile: folder + "/password", atomically: true, encoding: .utf8)
                let error = await #expect(throws: HostError.self) { try await start("bots.example", in: folder) { _, _ in } }
                #expect(error?.code == .router && error?.message.contains("Remove it") == true)
            }
        }
    }

    @Test func theRoutersAddressIsToldWithoutThePassword() async throws {
        try await withFolder { folder in
            var configuration = HostConfiguration(dataFolder: folder, router: EmbeddedRouterConfiguration(host: "bots.example"))
            configuration.servers = []
            let host = try await CoreHost.open(configuration)
            let password = try String(contentsOfFile: folder + "/router/password", encoding: .utf8).trimmingCharacters(in: .newlines)
            #expect(host.servers.count == 1 && !host.servers[0].contains(password))
            await host.close()
        }
    }
}
