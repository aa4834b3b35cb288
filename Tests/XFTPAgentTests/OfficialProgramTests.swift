import Foundation
import OfficialPeers
import ProcessSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import TestSupport
import Testing
import XFTPProtocol
import XFTPServer

@testable import XFTPAgent

/// Files exchanged with the official `xftp`, through the official file router and ours.
///
/// `PARLEY_FILE_SIZES` names other sizes, in bytes and separated by commas, for runs by hand.
@Suite("Files with the official programs", .enabled(if: PeerProgram.xftp.isInstalled && PeerProgram.xftpServer.isInstalled), .serialized)
struct OfficialProgramTests {
    private static let sizes: [Int] = {
        let given = ProcessInfo.processInfo.environment["PARLEY_FILE_SIZES"]?.split(separator: ",").compactMap { Int($0) } ?? []
        return given.isEmpty ? [1, 65_536, 5 << 20] : given
    }()

    enum RouterKind: String, CaseIterable, Sendable { case official, parley }

    private func withAddress(_ kind: RouterKind, _ body: (FixedServers) async throws -> Void) async throws {
        switch kind {
        case .official:
            let router = try await OfficialFileRouter.start()
            do {
                try await body(FixedServers(servers: [XFTPServerWithAuth(try router.serverAddress)]))
            } catch {
                await router.stop(.kill)
                throw error
            }
            await router.stop(.kill)
        case .parley: try await withRouter { _, servers in try await body(servers) }
        }
    }

    /// Runs the official program and waits for its end.
    private func xftp(_ arguments: [String], answers: String = "") async throws {
        let process = try ChildProcess(try PeerProgram.xftp.path(), arguments, input: answers)
        let code = try await process.exit(within: .seconds(600))
        guard code == 0 else { throw PeerError(.launch, "xftp \(arguments.first ?? "") ended with \(code): \(process.logTail())") }
    }

    @Test("A file of ours is received by the official program", arguments: RouterKind.allCases, sizes)
    func send(_ kind: RouterKind, _ size: Int) async throws {
        try await withAddress(kind) { servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, bytes) = try party.folder.file("picture.jpg", size: size)
            let upload = try await agent.sendFile(user: 1, file, name: "picture.jpg", recipients: 2)
            let (_, recipients) = try await party.log.descriptions(of: upload)
            for (index, description) in recipients.enumerated() {
                let path = party.folder("rcv\(index).xftp")
                try Data(description.text.utf8).write(to: URL(fileURLWithPath: path))
                let target = party.folder("got\(index)")
                try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
                try await xftp(["recv", path, target, "--yes"])
                #expect(try party.folder.contents("got\(index)/picture.jpg") == bytes)
            }
            try await agent.remove(upload)
            try await party.stop(agent)
        }
    }

    @Test("A file of the official program is received by us, and deleted by it", arguments: RouterKind.allCases, sizes)
    func receive(_ kind: RouterKind, _ size: Int) async throws {
        try await withAddress(kind) { servers in
            let party = try Party(servers)
            let agent = try await party.start()
            let (file, bytes) = try party.folder.file("picture.jpg", size: size)
            let out = party.folder("out")
            try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
            try await xftp(["send", file.path, out, "-n", "2", "-s", servers.servers[0].server.wireString])
            let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: out).first)
            for index in 1...2 {
                let text = try String(contentsOfFile: "\(out)/\(folder)/rcv\(index).xftp", encoding: .utf8)
                let download = try await agent.receiveFile(
                    user: 1, try FileDescription(parsing: text), to: LocalFile(party.folder("got\(index)"), key: .random(SystemRandomSource())))
                let received = try await party.log.file(of: download)
                #expect(try received.contents(upTo: 2 << 30) == bytes)
            }
            let text = try String(contentsOfFile: "\(out)/\(folder)/snd.xftp.private", encoding: .utf8)
            let sender = try FileDescription(parsing: text)
            #expect(sender.party == .sender && sender.text == text)
            try await xftp(["del", "\(out)/\(folder)/snd.xftp.private", "--yes"])
            try await party.stop(agent)
        }
    }
}
