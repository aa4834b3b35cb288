import ChatAPI
import ChatRules
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The decisions about files inside messages.
@Suite struct InlineFileDecisionTests {
    private static let chunk = InlineChunks.largest

    private func file(
        size: Int64, _ mode: InlineFileMode? = .offer, state: FileRecord.State = .accepted, received: InlineFileMode? = .offer
    ) -> FileRecord {
        var file = FileRecord(
            id: 7, user: 1, isSent: false, name: "a.bin", size: size, fileProtocol: .smp, status: .receiveInvitation, createdAt: MemoryStore.now)
        file.offer = mode.map { FileInvitation(name: "a.bin", size: size, inline: $0) }
        file.state = state
        file.receivedInline = received
        return file
    }

    @Test(
        arguments: [
            (0, 1, 0), (1, 1, 1), (15_780, 1, 15_780), (15_781, 2, 1), (126_240, 8, 15_780), (126_241, 9, 1),
            (Int64.max, Int64.max / 15_780 + 1, Int64.max % 15_780),
        ] as [(Int64, Int64, Int64)])
    func aFileIsDividedIntoFullChunksAndARest(_ size: Int64, _ count: Int64, _ last: Int64) {
        let chunks = InlineChunks(size: size)
        #expect(chunks.count == count)
        #expect(chunks.size(of: count) == last)
        if count > 1 { #expect(chunks.size(of: 1) == Self.chunk && chunks.size(of: count - 1) == Self.chunk) }
    }

    @Test func onlyAShortVoiceMessageIsReceivedWithoutBeingAccepted() {
        let voice = MessageContent.voice(text: "", duration: 1), picture = MessageContent.file("")
        func received(_ mode: InlineFileMode?, _ size: Int64, _ content: MessageContent?, isShown: Bool = true) -> InlineFileMode? {
            FileInvitation(name: "a", size: size, inline: mode).receivedInline(with: content, isShown: isShown)
        }
        #expect(received(.sent, 8 * Self.chunk, voice) == .sent)
        #expect(received(.sent, 8 * Self.chunk + 1, voice) == nil)
        #expect(received(.sent, 1, picture) == nil)
        #expect(received(.sent, 1, nil) == nil)
        #expect(received(.sent, 1, voice, isShown: false) == nil, "of a blocked member")
        #expect(received(.offer, 1, voice) == .offer)
        #expect(received(.offer, 8 * Self.chunk, picture, isShown: false) == .offer)
        #expect(received(.offer, 8 * Self.chunk + 1, picture) == nil)
        #expect(received(nil, 1, voice) == nil)
        #expect(received(.offer, .min, picture) == .offer)
    }

    @Test func aFileWithADescriptionOrAConnectionOfItsOwnDoesNotTravelInsideMessages() {
        let offer = FileInvitation(name: "a", size: 1, inline: .offer)
        #expect(offer.inlineMode == .offer)
        var described = offer
        described.fileDescription = .pending
        #expect(described.inlineMode == nil)
        var connected = offer
        connected.connectionRequest = "simplex:/invitation"
        #expect(connected.inlineMode == nil)
    }

    @Test func offersOfUpToEightChunksAreAskedForAndOfUpToFifteenByAnOption() {
        func decision(_ chunks: Int64, _ mode: InlineFileMode? = .offer, isWanted: Bool? = nil) -> InlineAcceptDecision {
            InlineAcceptDecision(file(size: chunks * Self.chunk, mode, state: .new), isWanted: isWanted)
        }
        func isRefused(_ decision: InlineAcceptDecision) -> Bool {
            if case .refuse(.exception) = decision { true } else { false }
        }
        #expect(decision(8) == .ask)
        #expect(decision(8, isWanted: true) == .ask)
        #expect(isRefused(decision(8, isWanted: false)))
        #expect(isRefused(decision(9)))
        #expect(decision(9, isWanted: true) == .ask)
        #expect(decision(15, isWanted: true) == .ask)
        #expect(isRefused(decision(16, isWanted: true)))
        #expect(isRefused(decision(1, nil)))
        for isWanted in [nil, true, false] as [Bool?] {
            #expect(decision(1, .sent, isWanted: isWanted) == .refuse(.fileAlreadyReceiving(message: "a.bin")))
        }
    }

    @Test func chunksCountInTheirOrderAndInTheirSize() {
        let received = file(size: 2 * Self.chunk + 5)
        func decision(_ number: UInt8, _ bytes: Int64, after known: Int64) -> InlineChunkDecision {
            InlineChunkDecision(number, bytes: Int(bytes), of: received, after: known)
        }
        #expect(decision(1, Self.chunk, after: 0) == .store(isFirst: true, isLast: false))
        #expect(decision(2, Self.chunk, after: 1) == .store(isFirst: false, isLast: false))
        #expect(decision(3, 5, after: 2) == .store(isFirst: false, isLast: true))
        // Repeated, whatever is in it.
        #expect(decision(1, Self.chunk, after: 1) == .ignore)
        #expect(decision(1, 3, after: 2) == .ignore)
        #expect(decision(3, 5, after: 3) == .ignore)
        #expect(decision(4, 5, after: 3) == .ignore, "the file is whole")
        #expect(decision(0, 0, after: 0) == .ignore)
        #expect(decision(2, Self.chunk, after: 0) == .fail(reason: "incorrect chunk number 2"))
        #expect(decision(255, 5, after: 2) == .fail(reason: "incorrect chunk number 255"))
        for (number, bytes, known) in [(1, Self.chunk - 1, 0), (1, Self.chunk + 1, 0), (1, 0, 0), (3, 4, 2), (3, 6, 2), (3, Self.chunk, 2)]
            as [(UInt8, Int64, Int64)]
        {
            #expect(decision(number, bytes, after: known) == .fail(reason: "incorrect chunk size"), "\(number) with \(bytes) bytes")
        }
        #expect(InlineChunkDecision(1, bytes: 0, of: file(size: 0), after: 0) == .store(isFirst: true, isLast: true))
    }

    @Test func chunksOfAFileThatIsNotReceivedAreNotStored() {
        func decision(_ number: UInt8, _ file: FileRecord) -> InlineChunkDecision { InlineChunkDecision(number, bytes: 1, of: file, after: 0) }
        #expect(decision(1, file(size: 1, state: .new)) == .prohibit)
        #expect(decision(2, file(size: 1, state: .new)) == .ignore)
        for state in [FileRecord.State.cancelled, .complete] { #expect(decision(1, file(size: 1, state: state)) == .ignore) }
        // A file on routers.
        for state in [FileRecord.State.accepted, .connected] { #expect(decision(1, file(size: 1, nil, state: state, received: nil)) == .ignore) }
    }

    @Test func aFileIsAskedForByTheNameOfTheOfferAndShownByASafeOne() async throws {
        let store = try await MemoryStore()
        let contact = try await store.addContact("bob", 1)
        let name = "a\u{200d}b.bin", message = InlineFileScene.id
        let (id, _) = try await store.run { transaction -> FileID in
            let user = try transaction.user()
            var conversation = Conversation.contact(try transaction.conversations.contact(contact, of: user))
            var draft = ItemDraft(.receivedMessage(content: .file("")), isSent: false)
            draft.sharedMessageID = message
            let item = try transaction.items.add(draft, to: &conversation, of: user)
            let shown = try transaction.receivedFiles.attach(FileInvitation(name: name, size: 3, inline: .offer), to: item, in: conversation, of: user)
            return try #require(shown.file).fileID
        }
        let (answer, effects) = try await store.run { transaction -> ChatResponse in
            try transaction.receivedFiles.accept(id, key: nil, approvesRelays: false, inline: nil) { name throws(Refusal) in "/tmp/" + name }.get()
        }
        guard case .rcvFileAccepted(_, let shown) = answer else { throw UnexpectedAnswer() }
        #expect(shown.chatItem.file?.fileName == "ab.bin" && shown.chatItem.file?.status == .receiveAccepted)
        let sent = try effects.deliveries.flatMap { ReceivedChatMessage.parse($0.body) }.map { try $0.get().message.event }
        #expect(sent == [.acceptFileInvitation(messageID: message, connectionRequest: nil, name: name)])
        try await store.close()
    }

    @Test func aTransferTellsHowTheFileTravels() {
        let offered = file(size: 5, state: .new).receiveTransfer(from: "alice", member: nil)
        #expect(offered["fileInvitation"] == ["fileName": "a.bin", "fileSize": 5, "fileInline": "offer"])
        #expect(offered["rcvFileInline"] == "offer")
        let large = file(size: 9 * Self.chunk, state: .new, received: nil).receiveTransfer(from: "alice", member: nil)
        #expect(large["fileInvitation"]?["fileInline"] == "offer")
        #expect(large["rcvFileInline"] == nil)
        let other = file(size: 5, nil, received: nil).receiveTransfer(from: "alice", member: nil)
        #expect(other["fileInvitation"] == ["fileName": "a.bin", "fileSize": 5])
    }
}
