import Foundation
import NIOCore
import NIOPosix
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPProtocol

@testable import XFTPAgent
@testable import XFTPServer

@Suite struct InterruptionTests {
    /// Ends the transfer at the n-th passing of a moment.
    private static func interruption(_ moment: FileStep, after count: Int) -> (isDone: @Sendable () -> Bool, step: @Sendable (FileStep) throws -> Void) {
        let left = Mutex(count)
        return (
            { left.withLock { $0 == 0 } },
            { passed in
                guard passed == moment else { return }
                let isNow = left.withLock { left in
                    guard left > 0 else { return false }
                    left -= 1
                    return left == 0
                }
                if isNow { throw CancellationError() }
            }
        )
    }

    @Test(arguments: FileStep.allCases, [1, 2])
    func aTransferThatIsKilledAtAnyMomentComesToItsEndAfterARestart(_ moment: FileStep, _ count: Int) async throws {
        try await withRouter { router, servers in
            let party = try Party(servers)
            let (isDone, step) = Self.interruption(moment, after: count)
            var agent = try await party.start(step: step)
            let (file, bytes) = try party.folder.file("a", size: 1_500_000)
            let upload = try await agent.sendFile(user: 1, file, name: "a")
            agent = try await restartIfInterrupted(party, agent, isDone, upload, step)
            let description = try await party.log.descriptions(of: upload).recipients[0]
            let redirect = try await agent.sendDescription(user: 1, description)
            agent = try await restartIfInterrupted(party, agent, isDone, redirect, step)
            let short = try await party.log.descriptions(of: redirect).recipients[0]
            let download = try await agent.receiveFile(user: 1, short, to: LocalFile(party.folder("b")))
            agent = try await restartIfInterrupted(party, agent, isDone, download, step)
            _ = try await party.log.file(of: download)
            #expect(try party.folder.contents("b") == bytes)
            if count == 1 { #expect(isDone(), "the transfer was never interrupted") }
            for id in [upload, redirect, download] { try await agent.remove(id) }
            #expect(party.folder.names(in: "work").isEmpty)
            #expect(party.folder.names(in: "").filter { $0.contains(".part-") }.isEmpty)
            try await party.stop(agent)
        }
    }

    private func restartIfInterrupted(
        _ party: Party, _ agent: FileAgent, _ isInterrupted: @Sendable () -> Bool, _ id: FileTransferID, _ step: @escaping @Sendable (FileStep) throws -> Void
    ) async throws -> FileAgent {
        func hasOutcome() -> Bool {
            party.log.all.contains { event in
                switch event {
                case .uploadComplete(id, _, _), .downloadComplete(id, _, _): true
                default: false
                }
            }
        }
        try await eventually("the transfer comes to its end or is interrupted") { isInterrupted() || hasOutcome() }
        guard isInterrupted(), !hasOutcome() else { return agent }
        try await party.stop(agent)
        return try await party.start(step: step)
    }
}
