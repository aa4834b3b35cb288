import Foundation
import Logging
import SMPCrypto
import SMPProtocol
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol

@testable import XFTPServer

/// What every command about a chunk is answered in every state of it, by who has the right key and by who has not.
@Suite struct FileCommandMatrixTests {
    enum State: String, CaseIterable, Sendable, CustomStringConvertible {
        case announced, uploaded, acknowledged, blocked, deleted

        var description: String { rawValue }
    }

    /// Commands, each with its answers in the order of ``State``; nil stands for success.
    private static let answers: [(command: String, answers: [XFTPErrorType?])] = [
        ("FADD", [nil, nil, nil, .blocked(info), .auth]), ("FPUT", [nil, nil, nil, .blocked(info), .auth]), ("FDEL", [nil, nil, nil, .blocked(info), .auth]),
        ("FGET", [.noFile, nil, .auth, .blocked(info), .auth]), ("FACK", [nil, nil, .auth, .blocked(info), .auth]),
    ]
    private static let info = BlockingInfo(reason: .spam)
    private static let stranger = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 91)).privateKey)

    private func run(
        _ command: String, _ chunk: TestChunk, _ sender: EntityID, _ recipient: EntityID, _ session: XFTPSession, in folder: TemporaryFolder,
        senderKey: PrivateAuthKey, recipientKey: PrivateAuthKey
    ) async throws {
        switch command {
        case "FADD": _ = try await session.add(recipients: [chunk.recipient.publicKey], to: sender, key: senderKey)
        case "FPUT": try await session.upload(try ChunkSource(path: chunk.path, size: chunk.size), to: sender, key: senderKey)
        case "FDEL": try await session.delete(sender, key: senderKey)
        case "FGET":
            try await session.download(
                recipient, key: recipientKey, to: folder.path + "/got-\(UUID().uuidString)", size: chunk.size, digest: chunk.digest)
        default: try await session.acknowledge(recipient, key: recipientKey)
        }
    }

    /// Puts a new chunk into a state.
    private func prepare(
        _ state: State, _ chunk: TestChunk, _ router: FileRouter, _ session: XFTPSession
    ) async throws -> (sender: EntityID, recipient: EntityID) {
        let ids = try await chunk.announce(session)
        if state != .announced { try await chunk.upload(session, ids.sender) }
        switch state {
        case .acknowledged: try await session.acknowledge(ids.recipient, key: chunk.recipient)
        case .blocked: _ = try await router.answer("block \(ids.recipient.wireString) spam")
        case .deleted: try await session.delete(ids.sender, key: chunk.sender)
        case .announced, .uploaded: break
        }
        return ids
    }

    @Test(arguments: State.allCases)
    func whoHasTheKeyIsAnsweredAsTheStateSaysAndNobodyElseLearnsOfIt(_ state: State) async throws {
        let folder = try TemporaryFolder()
        let index = try #require(State.allCases.firstIndex(of: state))
        try await withRouter(configuration(folder)) { router, session in
            let chunk = try TestChunk(in: folder)
            for (command, answers) in Self.answers {
                let (sender, recipient) = try await prepare(state, chunk, router, session)
                for (senderKey, recipientKey) in [(Self.stranger, Self.stranger), (chunk.recipient, chunk.sender)] {
                    let refused = await failure {
                        try await run(command, chunk, sender, recipient, session, in: folder, senderKey: senderKey, recipientKey: recipientKey)
                    }
                    #expect(refused == .protocol(.auth), "\(command) by another")
                }
                // The ids of sender and recipient exchanged.
                let exchanged = await failure {
                    try await run(command, chunk, recipient, sender, session, in: folder, senderKey: chunk.sender, recipientKey: chunk.recipient)
                }
                #expect(exchanged == .protocol(.auth), "\(command) about the other id")
                let answer = await failure {
                    try await run(command, chunk, sender, recipient, session, in: folder, senderKey: chunk.sender, recipientKey: chunk.recipient)
                }
                #expect(answer == answers[index].map { .protocol($0) }, "\(command)")
            }
            let used = router.fileCore.shared.withLock { $0.store.reservedBytes }
            #expect(used == 0)
            try await session.ping()
        }
    }

    @Test(arguments: [(1, XFTPErrorType.auth), (2, .auth), (3, .blocked(info))] as [(UInt16, XFTPErrorType)])
    func aBlockIsToldAsTheVersionOfTheClientKnowsIt(_ version: UInt16, _ error: XFTPErrorType) async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.versions = VersionRange(version) }) { router, session in
            let chunk = try TestChunk(in: folder)
            let (_, recipient) = try await prepare(.blocked, chunk, router, session)
            #expect(await failure { _ = try await chunk.isDownloaded(session, recipient, in: folder) } == .protocol(error))
        }
    }

    @Test func statesOutliveARestart() async throws {
        let folder = try TemporaryFolder()
        let chunk = try TestChunk(in: folder)
        var ids: [State: (sender: EntityID, recipient: EntityID)] = [:]
        try await withRouter(configuration(folder)) { router, session in
            for state in State.allCases { ids[state] = try await prepare(state, chunk, router, session) }
        }
        let expected = try #require(Self.answers.first { $0.command == "FGET" })
        for _ in 0..<2 {
            try await withRouter(configuration(folder)) { router, session in
                for (state, answer) in zip(State.allCases, expected.answers) {
                    let recipient = try #require(ids[state]).recipient
                    #expect(await failure { _ = try await chunk.isDownloaded(session, recipient, in: folder) } == answer.map { .protocol($0) }, "\(state)")
                }
                #expect(router.statistics.files == 4 && router.statistics.uploadedFiles == 2)
                #expect(try folder.files().count == 2)
                try await router.compact()
            }
        }
    }

    /// Sizes around those that routers take.
    @Test(arguments: ChunkPlan.sizes.flatMap { [$0 - 1, $0, $0 + 1] } + [0, 1, .max])
    func onlyTheSizesOfChunksAreAnnounced(_ size: UInt32) async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, session in
            let error = await failure {
                _ = try await session.create(
                    key: Self.stranger, size: size, digest: Bytes(repeating: 0, count: 32), recipients: [Self.stranger.publicKey], basicAuth: nil)
            }
            #expect(error == (ChunkPlan.sizes.contains(size) ? nil : .protocol(.size)))
            #expect(router.statistics.files == (ChunkPlan.sizes.contains(size) ? 1 : 0))
        }
    }
}
