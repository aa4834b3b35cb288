import ChatProtocol
import SMPWire
import Testing
import VectorSupport

@Suite struct EventTests {
    @Test func everyEventOfThisVersionIsTyped() throws {
        var typed: Set<ChatEventTag> = []
        for item in try Vectors.cases("chat_messages", kinds: "parse") {
            let body = item["input_hex"].hex ?? item["input"].string.map { Bytes($0.utf8) } ?? []
            for case .success(let received) in ReceivedChatMessage.parse(body) {
                if case .unknown = received.message.event { continue }
                typed.insert(received.message.tag)
            }
        }
        let known = try Vectors.cases("chat_messages", kinds: "event-flags").compactMap { $0["event"].string }
        #expect(known.count == 49)
        #expect(typed == Set(known.map { ChatEventTag(rawValue: $0) }))
    }

    @Test func everyTypedEventLacksNothingWhenItIsReadWithoutParameters() throws {
        // What an event needs must be asked for: with no parameters only events that have none are read.
        let bare: Set<ChatEventTag> = [.messageDeleted, .deleteContact, .leaveGroup, .deleteGroup, .ok]
        for item in try Vectors.cases("chat_messages", kinds: "event-flags") {
            let tag = ChatEventTag(rawValue: try item.text("event"))
            guard tag != .fileChunk else { continue }
            if bare.contains(tag) {
                #expect(try ChatMessageEvent(tag: tag, parameters: [:]).tag == tag)
            } else {
                let error = #expect(throws: JSONError.self) { try ChatMessageEvent(tag: tag, parameters: [:]) }
                #expect(error?.code == .missingMember)
            }
        }
    }

    @Test func eventsOfNewerClientsAreKept() throws {
        let text = "{\"v\":\"1-40\",\"msgId\":\"AQID\",\"event\":\"x.grp.later\",\"params\":{\"version\":1.50,\"b\":{\"c\":[]},\"a\":null}}"
        let message = try ChatMessage(parsing: text)
        #expect(message.tag.rawValue == "x.grp.later")
        #expect(message.versions == VersionRange(1...40))
        #expect(message.json.text == text)
        #expect(!message.tag.requiresSignature && !message.tag.hasNotification && !message.event.isForwardedInGroups)
    }

    @Test(arguments: ["y.msg", "x", "X.msg.new", "", "xmsg", "F", "x\u{301}.msg"])
    func tagsThatNoClientSendsAreRefused(tag: String) {
        #expect(throws: JSONError.self) { try ChatMessage(parsing: "{\"event\":\"\(tag)\",\"params\":{}}") }
    }

    @Test func filesThatTravelInlineAreNotForwarded() {
        var container = MessageContainer(content: .file("a"))
        #expect(ChatMessageEvent.newMessage(container).isForwardedInGroups)
        container.file = FileInvitation(name: "a", size: 1)
        #expect(ChatMessageEvent.newMessage(container).isForwardedInGroups)
        container.file?.inline = .sent
        #expect(!ChatMessageEvent.newMessage(container).isForwardedInGroups)
        #expect(!ChatMessageEvent.ok.isForwardedInGroups)
        #expect(ChatMessageEvent.leaveGroup.isForwardedInGroups)
    }

    @Test func aVersionIsAgreedOnOrTheNearestIsTaken() {
        func version(_ local: ClosedRange<UInt16>, _ peer: ClosedRange<UInt16>) -> ChatVersion {
            ChatVersions.connectionVersion(local: VersionRange(local), peer: VersionRange(peer))
        }
        #expect(version(1...17, 1...17) == 17)
        #expect(version(1...17, 1...40) == 17)
        #expect(version(1...17, 3...5) == 5)
        #expect(version(1...17, 20...40) == 20)
        #expect(version(10...17, 1...5) == 5)
    }

    @Test func aMessageIsEncodedTheSameEveryTime() throws {
        let names = (0..<20).map { "name\($0)" }
        let mentions = MessageMentions(Dictionary(uniqueKeysWithValues: names.map { ($0, MemberID(Bytes($0.utf8))) }))
        let message = ChatMessage(
            messageID: SharedMessageID([1]), event: .newMessage(MessageContainer(content: .text("x"), mentions: mentions, ttl: 5)))
        let bodies = Set((0..<20).map { _ in message.body })
        #expect(bodies.count == 1)
        #expect(
            String(decoding: message.body.prefix(93), as: UTF8.self)
                == "{\"v\":\"1-19\",\"msgId\":\"AQ==\",\"event\":\"x.msg.new\",\"params\":{\"content\":{\"type\":\"text\",\"text\":\"x\"}")
        let keys = message.json["params"]?["mentions"]?.objectValue?.keys ?? []
        #expect(keys == keys.sorted())
    }

    @Test func mentionsThatSwiftHoldsEqualDoNotDoHarm() throws {
        let text = "{\"\u{E9}\":{\"memberId\":\"AQ==\"},\"e\u{301}\":{\"memberId\":\"Ag==\"}}"
        #expect(try MessageMentions(parsing: text).members.count == 1)
    }
}

@Suite("Capabilities")
struct CapabilityTests {
    @Test("what a client knows besides versions is told by name, and unknown names and forms are passed over")
    func names() throws {
        var message = ChatMessage(event: .ok)
        #expect(message.json["caps"] == nil)
        message.capabilities = [.comments]
        #expect(message.json["caps"] == ["comments"])
        #expect(try ChatMessage(body: message.body).capabilities == [.comments])
        for other: JSONValue in [["later", "comments", 5], ["comments", "comments"]] {
            let object: JSONValue = ["v": "1-17", "event": "x.ok", "params": [:], "caps": other]
            #expect(try ChatMessage(json: object).capabilities == [.comments])
        }
        for other: JSONValue in ["comments", [:], .null, .array(Array(repeating: "x", count: 100) + ["comments"])] {
            let object: JSONValue = ["v": "1-17", "event": "x.ok", "params": [:], "caps": other]
            #expect(try ChatMessage(json: object).capabilities.isEmpty)
        }
    }

    @Test("an update of a message carries its settings only if they change")
    func preferences() throws {
        var update = MessageUpdate(messageID: SharedMessageID([1, 2, 3]), content: .text("post"))
        #expect(update.json["prefs"] == nil)
        update.preferences = MessagePreferences(commentsDisabled: true)
        #expect(update.json["prefs"] == ["commentsDisabled": true])
        #expect(try MessageUpdate(json: update.json) == update)
    }
}
