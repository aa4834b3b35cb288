import ChatProtocol
import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@Suite struct MessageVectorTests {
    @Test(arguments: try Vectors.cases("chat_messages", kinds: "parse"))
    func bodiesAreReadAndPrintedAsRecorded(item: VectorCase) throws {
        let body = try #require(item["input_hex"].hex ?? item["input"].string.map { Bytes($0.utf8) })
        // What official clients drop or refuse here, Parley keeps.
        if Self.kept.contains(item.name) {
            let received = try #require(ReceivedChatMessage.parse(body).first).get()
            #expect(try JSONValue(parsing: received.element) == JSONValue(parsing: body))
            return
        }
        try expectParsed(ReceivedChatMessage.parse(body), item["parsed"])
    }

    private static let kept: Set = [
        "unknown param field is dropped", "content: extra fields in known content are dropped", "x.info unknown profile fields and preferences",
        "x.info unknown peer type is an error", "extra top-level field is dropped",
    ]

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "signed-element"))
    func signedElementsAreReadAndPrintedAsRecorded(item: VectorCase) throws {
        let element = try item.bytes("element")
        let results = ReceivedChatMessage.parse(element)
        try expectParsed(results, item["parsed"])
        let signed = try #require(results.first?.get().signed)
        #expect(signed.element == element)
        #expect(signed.body == Bytes((item["body"].string ?? "").utf8))
        #expect(try results.first?.get().element == element)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "forward-element"))
    func forwardedElementsAreReadAndPrintedAsRecorded(item: VectorCase) throws {
        let element = try item.bytes("element")
        let results = ReceivedChatMessage.parse(element)
        try expectParsed(results, item["parsed"])
        let received = try #require(results.first).get()
        let forward = try #require(received.forward)
        #expect(forward.wireBytes == item["forward_binary"].hex)
        #expect(item["signed"].bool == (received.signed != nil))
        if received.signed != nil { #expect(forward.element(received.element) == element) }
        // An unsigned message is encoded anew: the same JSON, in our order.
        let anew = try #require(ReceivedChatMessage.parse(forward.element(received.element)).first).get()
        #expect(anew == received)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "binary-batch"))
    func binaryBatchesAreReadAndPrintedAsRecorded(item: VectorCase) throws {
        let batch = try item.bytes("batch")
        try expectParsed(ReceivedChatMessage.parse(batch), item["parsed"])
        let elements = try #require(item["elements"].array).compactMap(\.hex)
        #expect(MessageBatching.binaryBatch(of: elements) == batch)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "batching"))
    func messagesAreBatchedAsRecorded(item: VectorCase) throws {
        let bodies = try #require(item["bodies"].array).compactMap { $0.string.map { Bytes($0.utf8) } }
        let outcomes = MessageBatching.batches(
            of: bodies, mode: item["mode"].string == "json" ? .json : .binary,
            limit: Int(try #require(item["max_len"].int)))
        let expected = try #require(item["batches"].array).map { batch -> MessageBatching.Outcome in
            let places = try #require(batch["messages"].array).compactMap(\.int).map(Int.init)
            let first = try #require(places.first)
            return .batch(try #require(batch["batch"].hex), first..<first + places.count)
        }
        #expect(outcomes == expected)
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "compressed"))
    func compressedBodiesAreReadAsRecorded(item: VectorCase) throws {
        let compressed = try item.bytes("compressed")
        try expectParsed(ReceivedChatMessage.parse(compressed), item["parsed"])
        guard let plaintext = item["plaintext"].string else { return }
        let body = Bytes(plaintext.utf8)
        #expect(try MessageCompression.decompress(compressed).map { try $0.get() } == [body])
        #expect(try MessageCompression.decompress(MessageCompression.compress(body)).map { try $0.get() } == [body])
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "zstd"))
    func framesOfAllLevelsAreRead(item: VectorCase) throws {
        let frame = try item.bytes("compressed")
        var writer = WireWriter()
        writer.write(text: "X")
        writer.write(byte: 1)
        writer.write(text: "1")
        writer.write(large: frame)
        let parts = try MessageCompression.decompress(writer.bytes).map { try $0.get() }
        #expect(parts == [Bytes((item["plaintext"].string ?? "").utf8)])
    }

    @Test(arguments: try Vectors.cases("chat_messages", kinds: "event-flags"))
    func eventsHaveTheRecordedFlags(item: VectorCase) throws {
        let tag = ChatEventTag(rawValue: try item.text("event"))
        #expect(tag.hasNotification == item["notification"].bool)
        #expect(tag.hasDeliveryReceipt == item["delivery_receipt"].bool)
        #expect(tag.requiresSignature == item["requires_signature_in_relay_groups"].bool)
        #expect(tag.isValid)
    }

    @Test func limitsAreAsRecorded() throws {
        for item in try Vectors.cases("chat_messages", kinds: "limits") {
            #expect(item["compression_passthrough_max_len"].int == Int64(ChatLimits.compressionPassthrough))
            #expect(item["max_compressed_info_len"].int == Int64(ChatLimits.compressedInfo))
            #expect(item["max_compressed_msg_len"].int == Int64(ChatLimits.compressedMessage))
            #expect(item["max_decompressed_msg_len"].int == Int64(ChatLimits.decompressedMessage))
            #expect(item["max_encoded_info_len"].int == Int64(ChatLimits.encodedInfo))
            #expect(item["max_encoded_msg_len"].int == Int64(ChatLimits.encodedMessage))
            #expect(item["supported_chat_versions"][0].int == Int64(ChatVersions.supported.min))
            // Recorded from version 6.5; newer versions are supported, too.
            #expect(try #require(item["supported_chat_versions"][1].int) <= Int64(ChatVersions.supported.max))
        }
    }

    @Test func aMessageOfExactlyTheLimitFitsAndOneByteMoreDoesNot() throws {
        for item in try Vectors.cases("chat_messages", kinds: "limit-check") {
            #expect(item["fits_len"].int == Int64(ChatLimits.encodedMessage))
            func message(_ length: Int) -> ChatMessage {
                let text = String(repeating: "a", count: length)
                return ChatMessage(event: .newMessage(MessageContainer(content: .text(text))))
            }
            let overhead = message(0).body.count
            let fits = message(ChatLimits.encodedMessage - overhead)
            #expect(try fits.body(limit: ChatLimits.encodedMessage).count == ChatLimits.encodedMessage)
            let over = message(ChatLimits.encodedMessage - overhead + 1)
            let error = #expect(throws: ChatProtocolError.self) { try over.body(limit: ChatLimits.encodedMessage) }
            #expect(error?.code == .tooLarge)
        }
    }
}
