import Foundation
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

@Suite struct FileRouterTests {
    @Test(arguments: 1...3 as ClosedRange<UInt16>, ChunkPlan.sizes.map(Int.init))
    func aChunkIsUploadedDownloadedByAllRecipientsAcknowledgedAndDeleted(_ version: UInt16, _ size: Int) async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.versions = VersionRange(version) }) { router, session in
            #expect(session.version == version)
            try await session.ping()
            let chunk = try TestChunk(size, in: folder)
            let (id, recipient) = try await chunk.announce(session)
            #expect(await failure { _ = try await chunk.isDownloaded(session, recipient, in: folder) } == .protocol(.noFile))
            try await chunk.upload(session, id)
            try await chunk.expectDownload(session, recipient, in: folder)
            let added = try await session.add(recipients: [chunk.recipient.publicKey], to: id, key: chunk.sender)
            try await chunk.expectDownload(session, added[0], in: folder)
            // A repetition after a lost answer changes nothing.
            try await chunk.upload(session, id)
            #expect(router.statistics.bytes == Int64(size))
            try await session.acknowledge(recipient, key: chunk.recipient)
            #expect(await failure { _ = try await chunk.isDownloaded(session, recipient, in: folder) } == .protocol(.auth))
            try await chunk.expectDownload(session, added[0], in: folder)
            try await session.delete(id, key: chunk.sender)
            #expect(await failure { _ = try await chunk.isDownloaded(session, added[0], in: folder) } == .protocol(.auth))
            #expect(try folder.files().isEmpty)
            #expect(router.statistics.files == 0)
        }
    }

    @Test func onlyWhoHoldsAKeyMayUseItAndTheConnectionGoesOn() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, session in
            let chunk = try TestChunk(1 << 20, in: folder)
            let stranger = PrivateAuthKey.ed25519(Ed25519.generateKeyPair(SystemRandomSource()).privateKey)
            let (id, recipient) = try await chunk.announce(session)
            // Refused before the chunk is there: a client asks for nothing else on such a connection.
            for (id, key) in [(id, stranger), (recipient, chunk.recipient)] {
                let other = try await XFTPConnector().connect(router.address), source = try ChunkSource(path: chunk.path, size: chunk.size)
                #expect(await failure { try await other.upload(source, to: id, key: key) } == .protocol(.auth))
                await other.close()
            }
            try await chunk.upload(session, id)
            #expect(await failure { try await session.delete(id, key: stranger) } == .protocol(.auth))
            #expect(await failure { try await session.delete(recipient, key: chunk.recipient) } == .protocol(.auth))
            #expect(await failure { try await session.acknowledge(id, key: chunk.sender) } == .protocol(.auth))
            #expect(await failure { _ = try await session.add(recipients: [stranger.publicKey], to: id, key: stranger) } == .protocol(.auth))
            #expect(await failure { try await session.delete(EntityID(Bytes(repeating: 1, count: 24)), key: stranger) } == .protocol(.auth))
            try await chunk.expectDownload(session, recipient, in: folder)
            #expect(router.statistics.counted.total.authorizationFailures == 7)
        }
    }

    @Test func aChunkOfAnotherSizeOrDigestIsRefusedAndLeavesNothing() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, session in
            let chunk = try TestChunk(in: folder)
            let longer = try TestChunk(65_536 + 1, in: folder)
            #expect(await failure { _ = try await longer.announce(session) } == .protocol(.size))
            let (id, _) = try await chunk.announce(session)
            let tooLong = try ChunkSource(path: longer.path, size: longer.size)
            #expect(await failure { try await session.upload(tooLong, to: id, key: chunk.sender) } == .protocol(.size))
            let other = try TestChunk(seed: 2, in: folder)
            let wrong = try ChunkSource(path: other.path, size: other.size)
            #expect(await failure { try await session.upload(wrong, to: id, key: chunk.sender) } == .protocol(.digest))
            let shorter = try ChunkSource(path: chunk.path, size: 1_000)
            #expect(await failure { try await session.upload(shorter, to: id, key: chunk.sender) } == .protocol(.size))
            #expect(try folder.files().isEmpty)
            #expect(router.fileCore.shared.withLock { $0.store.usedBytes } == 0)
            try await chunk.upload(session, id)
        }
    }

    @Test func aPasswordIsAskedOfThoseWhoAnnounceChunks() async throws {
        let folder = try TemporaryFolder()
        let password = try #require(BasicAuth(Bytes("secret".utf8)))
        try await withRouter(configuration(folder) { $0.basicAuth = password }) { _, session in
            let chunk = try TestChunk(in: folder)
            #expect(await failure { _ = try await chunk.announce(session) } == .protocol(.auth))
            #expect(await failure { _ = try await chunk.announce(session, basicAuth: BasicAuth(Bytes("Secret".utf8))) } == .protocol(.auth))
            let (id, recipient) = try await chunk.announce(session, basicAuth: password)
            try await chunk.upload(session, id)
            try await chunk.expectDownload(session, recipient, in: folder)
        }
        try await withRouter(configuration(try TemporaryFolder()) { $0.allowsNewFiles = false }) { _, session in
            #expect(await failure { _ = try await TestChunk(in: folder).announce(session) } == .protocol(.auth))
        }
    }

    @Test func whatDoesNotFitTheQuotaIsRefusedAndFitsWhenSomethingIsDeleted() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.quota = 2 * 65_536 }) { router, session in
            let chunks = try (1...3).map { try TestChunk(seed: UInt64($0), in: folder) }
            var ids: [EntityID] = []
            for chunk in chunks { ids.append(try await chunk.announce(session).sender) }
            try await chunks[0].upload(session, ids[0])
            try await chunks[1].upload(session, ids[1])
            #expect(await failure { try await chunks[2].upload(session, ids[2]) } == .protocol(.quota))
            try await session.delete(ids[0], key: chunks[0].sender)
            try await chunks[2].upload(session, ids[2])
            #expect(router.statistics.bytes == 2 * 65_536)
        }
    }

    @Test func chunksAreBoundedInNumberAndInRecipients() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(
            configuration(folder) {
                $0.maximumFiles = 2
                $0.maximumRecipients = 3
            }
        ) { _, session in
            let chunk = try TestChunk(in: folder)
            let key = chunk.recipient.publicKey
            let (id, _) = try await chunk.announce(session)
            _ = try await session.add(recipients: [key, key], to: id, key: chunk.sender)
            #expect(await failure { _ = try await session.add(recipients: [key], to: id, key: chunk.sender) } == .protocol(.quota))
            _ = try await chunk.announce(session)
            #expect(await failure { _ = try await chunk.announce(session) } == .protocol(.quota))
        }
    }

    @Test func chunksWhoseTimeIsOverAreDeleted() async throws {
        let folder = try TemporaryFolder()
        let time = Mutex<Int64>(1_000_000)
        try await withRouter(configuration(folder) { $0.fileLifetime = .seconds(48 * 3_600) }, now: { time.withLock { $0 } }) { router, session in
            let chunk = try TestChunk(in: folder)
            let (id, recipient) = try await chunk.announce(session)
            try await chunk.upload(session, id)
            time.withLock { $0 += 47 * 3_600 }
            await router.expire()
            try await chunk.expectDownload(session, recipient, in: folder)
            time.withLock { $0 += 3 * 3_600 }
            await router.expire()
            #expect(await failure { _ = try await chunk.isDownloaded(session, recipient, in: folder) } == .protocol(.auth))
            #expect(try folder.files().isEmpty)
            #expect(router.statistics.counted.total.filesExpired == 1)
        }
    }

    @Test func theOperatorBlocksAndDeletesChunksAndClientsAreTold() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, session in
            let chunks = try (1...2).map { try TestChunk(seed: UInt64($0), in: folder) }
            var ids: [(sender: EntityID, recipient: EntityID)] = []
            for chunk in chunks {
                ids.append(try await chunk.announce(session))
                try await chunk.upload(session, ids[ids.count - 1].sender)
            }
            #expect(try await router.answer("status \(ids[0].recipient.wireString)").contains("\"uploaded\""))
            #expect(try await router.answer("block \(ids[0].recipient.wireString) content 24") == #"{"blocked":true}"#)
            let info = BlockingInfo(reason: .content, notice: ClientNotice(ttl: 24 * 3_600))
            #expect(await failure { _ = try await chunks[0].isDownloaded(session, ids[0].recipient, in: folder) } == .protocol(.blocked(info)))
            #expect(await failure { try await chunks[0].upload(session, ids[0].sender) } == .protocol(.blocked(info)))
            #expect(try folder.files().count == 1)
            #expect(try await router.answer("delete \(ids[1].sender.wireString)") == #"{"deleted":true}"#)
            #expect(await failure { _ = try await chunks[1].isDownloaded(session, ids[1].recipient, in: folder) } == .protocol(.auth))
            #expect(try folder.files().isEmpty)
            for line in ["", "delete", "delete x", "block \(ids[0].sender.wireString)", "stats now", "what"] {
                await #expect(throws: ControlError.self) { _ = try await router.answer(line) }
            }
            let report = try await router.answer("stats")
            #expect(report.contains(#""files_blocked":1"#) && report.contains(#""files_uploaded":2"#))
            #expect(router.statistics.prometheus(at: 0).contains("parley_xftp_files_deleted_total 1\n"))
        }
    }

    @Test func aClientThatIsSilentOrDoesNotShakeHandsLosesItsConnection() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.idleTimeout = .milliseconds(20) }) { router, session in
            try await eventually("the silent client is disconnected") { !session.isOpen && router.statistics.connections == 0 }
        }
        var settings = SMPTransportClient.Configuration()
        settings.applicationProtocols = ["xftp/1"]
        let router = try await FileRouter.start(configuration(folder) { $0.handshakeTimeout = .milliseconds(500) }, logger: quiet)
        let connection = try? await SMPTransportClient(configuration: settings).connect(
            host: "127.0.0.1", port: router.port, keyHash: router.address.keyHash.bytes, open: HTTP2Connection.open(isClient: true))
        try await eventually("the client without a handshake is disconnected") {
            router.statistics.connections == 0 && connection?.isOpen != true
        }
        await router.stop()
    }

    @Test func aClientThatStopsInTheMiddleOfAnUploadIsGivenUpAndLeavesNothing() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder) { $0.transferTimeout = .milliseconds(300) }) { router, session in
            let chunk = try TestChunk(in: folder)
            let (id, _) = try await chunk.announce(session)
            let connection = try await openConnection(router)
            let context = try await shakeHands(connection, router)
            let authorizer = try CommandAuthorizer(chunk.sender, serverKey: nil)
            let block = try XFTPBlock.encode(.put, entity: id, correlationID: .none, authorizer: authorizer, in: context)
            try await connection.openStream().executeThenClose { inbound, outbound in
                try await outbound.send(headers: requestHeaders, isEnd: false)
                try await outbound.send(block + Bytes(chunk.bytes.prefix(1_000)), isEnd: false)
                var body = HTTP2Body(inbound)
                await body.untilClosed()
            }
            try await eventually("the upload is given up") { try folder.files().isEmpty }
            #expect(router.fileCore.shared.withLock { $0.store.usedBytes } == 0)
            await connection.close()
        }
    }

    @Test func onlyAnUploadMayGoOnBehindItsCommand() async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, session in
            let chunk = try TestChunk(in: folder)
            let (id, recipient) = try await chunk.announce(session)
            try await chunk.upload(session, id)
            let connection = try await openConnection(router)
            let context = try await shakeHands(connection, router)
            func ask(_ command: XFTPCommand, _ entity: EntityID, _ key: PrivateAuthKey, then pieces: [Bytes], isEnd: Bool) async throws -> XFTPResponse {
                let authorizer = try CommandAuthorizer(key, serverKey: nil)
                let block = try XFTPBlock.encode(command, entity: entity, correlationID: .none, authorizer: authorizer, in: context)
                let answer = try await request(connection, [block] + pieces, isEnd: isEnd)
                return try XFTPBlock.decode(answer, as: XFTPResponse.self, in: context).message.get()
            }
            let get = XFTPCommand.get(X25519.generateKeyPair(SystemRandomSource()).publicKey)
            let commands: [(XFTPCommand, EntityID, PrivateAuthKey)] = [
                (get, recipient, chunk.recipient), (.acknowledge, recipient, chunk.recipient), (.delete, id, chunk.sender),
                (.add(recipients: [chunk.recipient.publicKey]), id, chunk.sender),
            ]
            for (command, entity, key) in commands {
                for (extra, isEnd) in [(1 << 20, false), (1, true)] {
                    #expect(try await ask(command, entity, key, then: [Bytes(repeating: 0, count: extra)], isEnd: isEnd) == .error(.size))
                }
            }
            // Nothing of it was done, and the end of a body may come by itself.
            try await chunk.expectDownload(session, recipient, in: folder)
            guard case .file = try await ask(get, recipient, chunk.recipient, then: [[]], isEnd: true) else {
                Issue.record("the download was refused")
                return
            }
            #expect(router.fileCore.shared.withLock { $0.store.file(sender: id)?.recipients.count } == 1)
            await connection.close()
        }
    }

    @Test(arguments: [Bytes(), Bytes(repeating: 35, count: 16_384), Bytes(repeating: 0, count: 16_384), [1, 2, 3]])
    func whatIsNoCommandIsAnsweredWithAnError(_ block: Bytes) async throws {
        let folder = try TemporaryFolder()
        try await withRouter(configuration(folder)) { router, _ in
            let connection = try await openConnection(router)
            let context = try await shakeHands(connection, router)
            let answer = try await request(connection, block)
            let transmission = try XFTPBlock.decode(answer, as: XFTPResponse.self, in: context)
            #expect(transmission.message == .success(.error(.block)))
            // Before a handshake nothing is a command.
            let stranger = try await openConnection(router)
            if !block.isEmpty {
                let refusal = try await request(stranger, block)
                #expect(try XFTPErrorType(wireBytes: try XFTPBlock.unpad(refusal)) == .handshake)
            }
            await connection.close()
            await stranger.close()
        }
    }
}
