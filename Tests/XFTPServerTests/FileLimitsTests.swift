import ListenerSupport
import NIOCore
import RouterSupport
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing
import XFTPClient
import XFTPProtocol
import XFTPTransport

@testable import XFTPServer

/// What a file router checks, reserves and holds for strangers has a bound.
@Suite struct FileLimitsTests {
    private static let second: Int64 = 1_000_000_000

    private func limits(_ time: @escaping @Sendable () -> Int64, _ change: (inout FileRouterConfiguration) -> Void = { _ in }) -> FileLimits {
        var configuration = FileRouterConfiguration(folder: "/nowhere")
        change(&configuration)
        return FileLimits(configuration, now: time)
    }

    private func prefix(_ address: String) throws -> NetworkPrefix { try #require(IPAddress(parsing: address)?.limitedPrefix) }

    // MARK: Rates

    @Test func anAddressAddsSixteenRecipientsADayForEachChunkOfAnHour() throws {
        let time = Mutex<Int64>(0), one = try prefix("192.0.2.1"), other = try prefix("192.0.2.2")
        let limits = limits({ time.withLock { $0 } }) { $0.filesPerAddressAndHour = 100 }
        #expect(limits.mayAddRecipients(1_600, one) && !limits.mayAddRecipients(1, one))
        #expect(limits.mayAddRecipients(1_600, other) && limits.mayAddRecipients(1_000_000, nil))
        // An hour later it may announce chunks again, and has a twenty-fourth of its recipients.
        time.withLock { $0 = 3_600 * Self.second }
        #expect(limits.mayCreateFile(recipients: 66, one) && !limits.mayAddRecipients(2, one))
        time.withLock { $0 = 86_400 * Self.second + 3_600 * Self.second }
        #expect(limits.mayAddRecipients(1_600, one))
    }

    @Test func commandsOfAnAddressAreSlowedDownBeyondAThousandASecond() throws {
        let limits = limits { 0 }, one = try prefix("192.0.2.1")
        for _ in 0..<4_000 { #expect(limits.pause(afterCommandOf: one) == .zero) }
        #expect(limits.pause(afterCommandOf: one) == .milliseconds(1))
        for _ in 0..<100_000 { #expect(limits.pause(afterCommandOf: nil) == .zero) }
        #expect(limits.pause(afterCommandOf: try prefix("192.0.2.2")) == .zero)
    }

    @Test(arguments: [nil, "192.0.2.1"]) func keysTriedInVainAreChargedAsTheMessageRouterDoes(_ address: String?) throws {
        let limits = limits { 0 }, prefix = try address.map { try self.prefix($0) }
        var own = TokenBucket()
        #expect(limits.pause(afterRefusals: 1, of: prefix, own: &own) == .milliseconds(1))
        #expect(limits.pause(afterRefusals: AddressLimits.wrongPasswordCost, of: prefix, own: &own) == .milliseconds(50))
        // 4,000 at once, then a thousand a second: 20 passwords.
        for _ in 0..<78 { _ = limits.pause(afterRefusals: AddressLimits.wrongPasswordCost, of: prefix, own: &own) }
        #expect(limits.pause(afterRefusals: 1_000, of: prefix, own: &own) == .milliseconds(1_000))
        #expect(limits.pause(afterRefusals: 1_000, of: prefix, own: &own) == .milliseconds(1_951))
    }

    @Test func pausesOfAConnectionAddUpToTenSecondsAtMost() {
        var pace = RequestPace()
        #expect(pace.wait(at: 0) == 0)
        pace.pause(.milliseconds(50), at: 0)
        pace.pause(.milliseconds(50), at: 0)
        #expect(pace.wait(at: 0) == 100_000_000 && pace.wait(at: 99_999_999) == 1 && pace.wait(at: 100_000_000) == 0)
        for _ in 0..<1_000 { pace.pause(.milliseconds(50), at: 0) }
        #expect(pace.wait(at: 0) == 10 * Self.second)
        pace.pause(.zero, at: 0)
        #expect(pace.wait(at: 10 * Self.second) == 0)
    }

    @Test func guessesOfAPasswordOverOneConnectionGoSlowly() async throws {
        let folder = try TemporaryFolder(), password = try #require(BasicAuth(Bytes("secret".utf8)))
        try await withRouter(configuration(folder) { $0.basicAuth = password }) { router, session in
            let chunk = try TestChunk(in: folder)
            let start = ContinuousClock.now
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let wrong = BasicAuth(Bytes("guess\(number)".utf8))
                        #expect(await failure { _ = try await chunk.announce(session, basicAuth: wrong) } == .protocol(.auth))
                    }
                }
            }
            _ = try await chunk.announce(session, basicAuth: password)
            #expect(ContinuousClock.now - start >= .milliseconds(20 * 50))
            #expect(router.statistics.counted.total.authorizationFailures == 20)
        }
    }

    // MARK: Numbers

    @Test func anAddressHasAnEighthOfTheRequestsAtATime() throws {
        let limits = limits({ 0 }) { $0.maximumRequests = 16 }, one = try prefix("192.0.2.1"), other = try prefix("192.0.2.2")
        #expect(limits.begin(one) && limits.begin(one) && !limits.begin(one))
        for _ in 0..<14 { #expect(limits.begin(nil)) }
        #expect(!limits.begin(nil) && !limits.begin(other))
        limits.end(one)
        #expect(limits.begin(one) && !limits.begin(nil) && limits.requestCount == 16)
    }

    @Test func recipientsOfAllChunksAreBounded() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.maximumRecipientsInTotal = 3 }) { _, session in
            let chunk = try TestChunk(in: folder), key = chunk.recipient.publicKey
            let (id, recipient) = try await chunk.announce(session)
            _ = try await session.add(recipients: [key, key], to: id, key: chunk.sender)
            #expect(await failure { _ = try await session.add(recipients: [key], to: id, key: chunk.sender) } == .protocol(.quota))
            #expect(await failure { _ = try await chunk.announce(session) } == .protocol(.quota))
            try await session.acknowledge(recipient, key: chunk.recipient)
            _ = try await chunk.announce(session)
        }
    }

    // MARK: What is held

    /// Sends the beginning of uploads of announced chunks, and keeps them waiting for the rest while `body` runs.
    private func withUnfinishedUploads(
        _ count: Int, bytes: Int, _ router: FileRouter, _ session: XFTPSession, _ folder: TemporaryFolder, _ body: () async throws -> Void
    ) async throws {
        let connection = try await openConnection(router), context = try await shakeHands(connection, router)
        let chunks = try (1...count).map { try TestChunk(seed: UInt64($0), in: folder) }
        var blocks: [Bytes] = []
        for chunk in chunks {
            let (id, _) = try await chunk.announce(session)
            let authorizer = try CommandAuthorizer(chunk.sender, serverKey: nil)
            let block = try XFTPBlock.encode(.put, entity: id, correlationID: .none, authorizer: authorizer, in: context)
            blocks.append(block + chunk.bytes.prefix(bytes))
        }
        try await eventually("what was asked before is over") { router.fileCore.limits.requestCount == 0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for block in blocks {
                group.addTask {
                    try? await connection.openStream().executeThenClose { inbound, outbound in
                        try await outbound.send(headers: requestHeaders, isEnd: false)
                        try await outbound.send(block, isEnd: false)
                        var body = HTTP2Body(inbound)
                        await body.untilClosed()
                    }
                }
            }
            try await eventually("the uploads have begun") { router.fileCore.limits.requestCount == count }
            try await body()
            await connection.close()
            group.cancelAll()
        }
    }

    @Test func uploadsOfWhichNothingComesKeepNobodyOut() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.quota = 3 * 65_536 }) { router, session in
            try await withUnfinishedUploads(5, bytes: 0, router, session, folder) {
                try await eventually("the uploads wait for their bytes") { router.fileCore.shared.withLock { $0.store.uploadCount == 5 } }
                #expect(router.fileCore.shared.withLock { $0.store.usedBytes } == 0)
                #expect(try folder.files().isEmpty)
                let chunks = try (11...13).map { try TestChunk(seed: UInt64($0), in: folder) }
                for chunk in chunks {
                    let (id, recipient) = try await chunk.announce(session)
                    try await chunk.upload(session, id)
                    try await chunk.expectDownload(session, recipient, in: folder)
                }
            }
            try await eventually("the uploads are forgotten") { router.fileCore.shared.withLock { $0.store.uploadCount == 0 } }
            #expect(router.fileCore.shared.withLock { $0.store.reservedBytes } == 0)
        }
    }

    @Test func anUploadThatOutgrowsTheQuotaIsRefusedAndGivesItsRoomBack() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.quota = 2 * 65_536 }) { router, session in
            // Both had room when they began.
            let chunks = try (1...3).map { try TestChunk(seed: UInt64($0), in: folder) }
            var ids: [EntityID] = []
            for chunk in chunks { ids.append(try await chunk.announce(session).sender) }
            let core = router.fileCore
            guard let first = core.shared.withLock({ $0.store.file(sender: ids[0]) }), case .new(let slow) = try await core.begin(ids[0], first) else {
                Issue.record("the upload did not begin")
                return
            }
            try await core.write(Bytes(chunks[0].bytes.prefix(1_000)), slow)
            try await chunks[1].upload(session, ids[1])
            #expect(await failure { try await chunks[2].upload(session, ids[2]) } == .protocol(.quota))
            await #expect(throws: XFTPErrorType.quota) { try await core.write(Bytes(repeating: 0, count: 65_536), slow) }
            core.abandon(slow)
            #expect(try folder.files().count == 1)
            try await chunks[2].upload(session, ids[2])
        }
    }

    @Test func requestsBeyondTheirNumberAreResetAndTheRouterGoesOn() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.maximumRequests = 8 }) { router, session in
            try await withUnfinishedUploads(8, bytes: 10, router, session, folder) {
                #expect(await failure { try await session.ping() } != nil)
                #expect(router.statistics.counted.total.requestsRefused > 0)
            }
            try await eventually("the uploads are given up") { router.fileCore.limits.requestCount == 0 }
            let session = try await XFTPConnector().connect(router.address)
            try await session.ping()
            await session.close()
        }
    }

    /// As a stranger did it who filled the memory of a router: bodies on many streams, and no handshake.
    @Test(arguments: [(1, 60_000), (2, 30_000), (3, 10), (32, 16_000)])
    func aClientThatSendsMoreThanAHandshakeNeedsLosesItsConnection(_ streams: Int, _ bytes: Int) async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, session in
            let connection = try await openConnection(router)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<streams {
                    group.addTask {
                        try? await connection.openStream().executeThenClose { inbound, outbound in
                            try await outbound.send(headers: requestHeaders, isEnd: false)
                            try await outbound.send(Bytes(repeating: 1, count: bytes), isEnd: false)
                            var body = HTTP2Body(inbound)
                            await body.untilClosed()
                        }
                    }
                }
            }
            try await eventually("the connection is closed") { !connection.isOpen && router.statistics.connections == 1 }
            try await session.ping()
        }
    }

    @Test func aHandshakeThatFailsMayBeTriedAFewTimes() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, _ in
            let connection = try await openConnection(router)
            var refusals = 0
            while let answer = try? await request(connection, [[1, 2, 3]], isEnd: true), answer.count == XFTPLimits.blockSize { refusals += 1 }
            #expect((1...FileLimits.attemptsAtHandshake).contains(refusals))
            try await eventually("the connection is closed") { !connection.isOpen }
        }
    }

    // MARK: Clearing the journal

    @Test func theJournalIsWrittenAnewWhileChunksComeAndGo() async throws {
        let folder = try TemporaryFolder()
        let key = PublicAuthKey.ed25519(Ed25519.generateKeyPair(SeededRandomSource(seed: 91)).publicKey)
        let keys = Array(repeating: key, count: 150)
        var expected: [EntityID: StoredFile] = [:]
        try await withRouter(configuration(folder)) { router, _ in
            let core = router.fileCore
            func announce() async throws -> EntityID {
                let info = FileInfo(senderKey: key, size: 65_536, digest: Bytes(repeating: 1, count: 32))
                guard case .senderIDs(let id, _) = try await core.create(info, keys, from: nil) else { throw XFTPErrorType.internal }
                return id
            }
            var ids: [EntityID] = []
            for _ in 0..<40 { ids.append(try await announce()) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await router.compact() } }
                group.addTask { [ids] in for id in ids.prefix(15) { _ = try await core.delete(id) } }
                group.addTask { [ids] in for id in ids.suffix(15) { _ = try await core.add([key, key], to: id, from: nil) } }
                group.addTask { [ids] in for id in ids[15..<20] { try await core.block(id, BlockingInfo(reason: .spam)) } }
                group.addTask { for _ in 0..<5 { _ = try await announce() } }
                try await group.waitForAll()
            }
            expected = core.shared.withLock { $0.store.files }
            #expect(expected.count == 30 && core.shared.withLock { $0.store.recipientCount } == 30 * 150 + 30)
        }
        try await withRouter(configuration(folder)) { router, _ in
            #expect(router.fileCore.shared.withLock { $0.store.files } == expected)
        }
    }
}
