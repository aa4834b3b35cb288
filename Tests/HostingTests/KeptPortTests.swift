import Foundation
import Logging
import SMPServer
import TestSupport
import Testing
import XFTPServer

@testable import Hosting

/// The port of the router inside the process, which is part of every address that was given out.
@Suite struct KeptPortTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func start(_ folder: String, port: UInt16? = nil) async throws -> Int {
        let (router, _) = try await EmbeddedRouter.start(EmbeddedRouterConfiguration(port: port), folder: folder, logger: logger)
        let port = router.port
        await router.stop()
        return port
    }

    private func startForFiles(_ folder: String, port: UInt16? = nil) async throws -> Int {
        let (router, _) = try await EmbeddedRouter.startForFiles(EmbeddedRouterConfiguration(filePort: port), folder: folder, logger: logger)
        let port = router.port
        await router.stop()
        return port
    }

    @Test(arguments: ["", "\n", " ", "port", "0", "0\n", "65536", "99999", "-5", "12 34", "1\n2", "12345\n\n", "123", "12345", "１２３", "12345678901234567890"])
    func aFileThatDoesNotHoldAPortIsRefusedAndKept(_ text: String) async throws {
        let folder = try TemporaryFolder(isCreated: false)
        for start in [{ try await self.start($0, port: nil) }, { try await self.startForFiles($0, port: nil) }] as [(String) async throws -> Int] {
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            try text.write(toFile: folder("port"), atomically: false, encoding: .utf8)
            let error = await #expect(throws: HostError.self) { _ = try await start(folder.path) }
            #expect(error?.code == (text.isEmpty ? .folderPartEmpty : .folderPartDamaged))
            #expect(try String(contentsOfFile: folder("port"), encoding: .utf8) == text)
        }
    }

    @Test func aFileThatCannotBeReadIsRefusedAndKept() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("port"), withIntermediateDirectories: false)
        for start in [{ try await self.start($0, port: nil) }, { try await self.startForFiles($0, port: nil) }] as [(String) async throws -> Int] {
            let error = await #expect(throws: HostError.self) { _ = try await start(folder.path) }
            #expect(error?.code == .folderPartUnreadable)
        }
    }

    @Test func aRouterThatHasRunNeedsItsPort() async throws {
        for start in [start, startForFiles] as [(String, UInt16?) async throws -> Int] {
            let folder = try TemporaryFolder(isCreated: false)
            let port = try await start(folder.path, nil)
            #expect(try String(contentsOfFile: folder("port"), encoding: .utf8) == "\(port)\n")
            #expect(try FileManager.default.attributesOfItem(atPath: folder("port"))[.posixPermissions] as? Int == 0o600)
            #expect(try await start(folder.path, nil) == port)
            try FileManager.default.removeItem(atPath: folder("port"))
            let error = await #expect(throws: HostError.self) { _ = try await start(folder.path, nil) }
            #expect(error?.code == .folderPartMissing)
            #expect(!FileManager.default.fileExists(atPath: folder("port")))
            // Who knows the port of an address can name it.
            #expect(try await start(folder.path, UInt16(port)) == port)
            #expect(try await start(folder.path, nil) == port)
        }
    }
}
