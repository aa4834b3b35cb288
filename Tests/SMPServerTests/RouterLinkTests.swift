import RouterSupport
import SMPCrypto
import SMPProtocol
import SMPServer
import SMPWire
import TestSupport
import Testing

/// The data of short links, and notifications.
@Suite struct RouterLinkTests {
    let data = QueueLinkData(fixedData: Bytes(repeating: 1, count: 2_048), userData: Bytes(repeating: 2, count: 13_824))
    let linkID = LinkID(SystemRandomSource().bytes(24))

    private func correlationID() -> (CorrelationID, SenderID) {
        let id = CorrelationID.random(SystemRandomSource())
        return (id, SenderID(QueueIDs.senderID(correlationID: id.bytes)))
    }

    @Test func aContactsLinkIsReadByAnybodyAndChangedByItsOwner() async throws {
        try await withRouter { router in
            let (owner, reader) = (try await TestClient(router.address), try await TestClient(router.address))
            let (id, sender) = correlationID()
            let queue = try await TestQueue.create(
                owner, mode: .contact(link: .init(linkID: linkID, senderID: sender, data: data)), correlationID: id)
            #expect(queue.ids.linkID == linkID && queue.sender == sender && queue.ids.mode == .contact)
            #expect(try await reader.request(.lget, linkID) == .lnk(sender, data))
            var changed = data
            changed.userData = [3]
            #expect(try await owner.request(.lset(linkID, changed), queue.recipient, queue.recipientKey) == .ok)
            #expect(try await reader.request(.lget, linkID) == .lnk(sender, changed))
            // Its id stays, and so should what the link's key is the hash of; nobody else may change anything.
            let other = LinkID(SystemRandomSource().bytes(24))
            #expect(try await owner.request(.lset(other, changed), queue.recipient, queue.recipientKey) == .err(.auth))
            #expect(try await reader.request(.lset(linkID, changed), queue.recipient, TestQueue.key()) == .err(.auth))
            #expect(try await reader.request(.lkey(TestQueue.key().publicKey), linkID, TestQueue.key()) == .err(.auth))
            #expect(try await owner.request(.ldel, queue.recipient, queue.recipientKey) == .ok)
            #expect(try await owner.request(.ldel, queue.recipient, queue.recipientKey) == .ok)
            #expect(try await reader.request(.lget, linkID) == .err(.auth))
        }
    }

    @Test func aOneTimeLinkIsOpenedByOneAndGoesWithTheirFirstMessage() async throws {
        try await withRouter { router in
            let (owner, joiner) = (try await TestClient(router.address), try await TestClient(router.address))
            let (id, sender) = correlationID()
            let queue = try await TestQueue.create(
                owner, mode: .messaging(link: .init(senderID: sender, data: data)), correlationID: id)
            let link = try #require(queue.ids.linkID)
            #expect(try await joiner.request(.lget, link) == .err(.auth))
            let open = Request(.lkey(queue.senderKey.publicKey), link, queue.senderKey)
            #expect(try await joiner.request([open]) == [.lnk(sender, data)])
            // A lost response can be asked for again, by the same key.
            #expect(try await joiner.request([open]) == [.lnk(sender, data)])
            let other = TestQueue.key()
            #expect(try await joiner.request(.lkey(other.publicKey), link, other) == .err(.auth))
            #expect(try await joiner.request([queue.send([1])]) == [.ok])
            #expect(try await joiner.request([open]) == [.err(.auth)])
            #expect(try await owner.request(.lset(link, data), queue.recipient, queue.recipientKey) == .err(.auth))
        }
    }

    @Test func idsOfTheClientsChoiceMustBeHashesAndNew() async throws {
        try await withRouter { router in
            let client = try await TestClient(router.address)
            let (id, sender) = correlationID()
            let other = SenderID(SystemRandomSource().bytes(24))
            func create(_ mode: NewQueueMode, _ id: CorrelationID) async throws -> SMPBrokerMessage {
                let key = TestQueue.key()
                let request = NewQueueRequest(
                    recipientKey: key.publicKey, encryptionKey: X25519.generateKeyPair(SystemRandomSource()).publicKey, mode: mode
                )
                return try await client.request([Request(.new(request), .none, key, correlationID: id)])[0]
            }
            #expect(try await create(.messaging(link: .init(senderID: other, data: data)), id) == .err(.command(.prohibited)))
            #expect(
                try await create(.contact(link: .init(linkID: linkID, senderID: other, data: data)), id)
                    == .err(.command(.prohibited)))
            let short = LinkID([1, 2, 3])
            #expect(
                try await create(.contact(link: .init(linkID: short, senderID: sender, data: data)), id)
                    == .err(.command(.prohibited)))
            guard case .ids = try await create(.contact(link: .init(linkID: linkID, senderID: sender, data: data)), id) else {
                throw TestClientError.closed
            }
            // The same ids again, and the link of another's queue.
            #expect(try await create(.contact(link: .init(linkID: linkID, senderID: sender, data: data)), id) == .err(.auth))
            let (second, secondSender) = correlationID()
            #expect(
                try await create(.contact(link: .init(linkID: linkID, senderID: secondSender, data: data)), second) == .err(.auth)
            )
            let queue = try await TestQueue.create(client, mode: .contact(link: nil))
            #expect(try await client.request(.lset(linkID, data), queue.recipient, queue.recipientKey) == .err(.auth))
            #expect(try await client.request(.lset(short, data), queue.recipient, queue.recipientKey) == .err(.auth))
        }
    }

    @Test func linkDataOutlivesARestart() async throws {
        let folder = try TemporaryFolder(isCreated: false)
        let (id, sender) = correlationID()
        let queue = try await withRouter(.folder(folder.path)) { router in
            let client = try await TestClient(router.address)
            let queue = try await TestQueue.create(
                client, mode: .contact(link: .init(linkID: linkID, senderID: sender, data: data)), correlationID: id)
            var changed = data
            changed.userData = [7]
            #expect(try await client.request(.lset(linkID, changed), queue.recipient, queue.recipientKey) == .ok)
            return queue
        }
        try await withRouter(.folder(folder.path)) { router in
            let client = try await TestClient(router.address)
            guard case .lnk(let owner, let read) = try await client.request(.lget, linkID) else { throw TestClientError.closed }
            #expect(owner == queue.sender && read.userData == [7] && read.fixedData == data.fixedData)
        }
    }

    @Test func aNotificationServerHearsOfMessages() async throws {
        try await withRouter { router in
            let (recipient, notifier) = (try await TestClient(router.address), try await TestClient(router.address))
            let (notifierKey, encryption) = (TestQueue.key(), X25519.generateKeyPair(SystemRandomSource()))
            let queue = try await TestQueue.create(
                recipient,
                notifications: NotificationCredentials(notifierKey: notifierKey.publicKey, encryptionKey: encryption.publicKey))
            let credentials = try #require(queue.ids.notifications)
            let secret = try BoxSecret(encryption.privateKey, with: credentials.serverKey)
            let nsub = Request(.nsub, credentials.notifierID, notifierKey)
            #expect(try await recipient.request([queue.secure(), queue.send([1], notification: true)]) == [.ok, .ok])
            let (message, _) = try queue.open(try await recipient.event().message)
            // One waits for who subscribes.
            #expect(try await notifier.request([nsub]) == [.sok(nil)])
            func meta(_ event: (entity: EntityID, message: SMPBrokerMessage)) throws -> NotificationMessageMeta {
                guard case .nmsg(let nonce, let encrypted) = event.message, event.entity == credentials.notifierID else {
                    throw TestClientError.unexpected(event.message)
                }
                return try NotificationMessageMeta(opening: encrypted, nonce: nonce, secret: secret)
            }
            #expect(try meta(try await notifier.event()).id == message.id)
            #expect(try await recipient.request([queue.send([2], notification: true), queue.send([3])]) == [.ok, .ok])
            _ = try meta(try await notifier.event())
            #expect(try await notifier.eventsSoFar().isEmpty)
            // New credentials end what was.
            let renewed = NotificationCredentials(notifierKey: notifierKey.publicKey, encryptionKey: encryption.publicKey)
            guard case .nid(let second, _) = try await recipient.request(.nkey(renewed), queue.recipient, queue.recipientKey)
            else {
                throw TestClientError.closed
            }
            #expect(try await notifier.event().message == .deld)
            #expect(try await notifier.request([nsub]) == [.err(.auth)])
            #expect(try await notifier.request(.nsub, second, notifierKey) == .sok(nil))
            #expect(try await recipient.request(.ndel, queue.recipient, queue.recipientKey) == .ok)
            #expect(try await notifier.event().message == .deld)
            #expect(try await recipient.request(.ndel, queue.recipient, queue.recipientKey) == .ok)
        }
    }
}
