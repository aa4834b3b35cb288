import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What an administrator passes on between members whom it has introduced to each other, until they are connected.
@Suite struct ForwardingTests {
    private static let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])

    /// A group of this profile, with members who are connected to this profile only.
    private struct Team {
        let scene: RuleScene
        let members: [String: GroupMemberID]
        let ids: [String: MemberID]

        init(_ preferences: @escaping @Sendable (inout GroupPreferences) -> Void = { _ in }) async throws {
            scene = try await RuleScene()
            members = try await scene.addGroup(with: ["bob": .member, "cath": .member, "mod": .moderator, "admin": .admin], preferences)
            try await scene.updateApps()
            ids = try await scene.run { [members] transaction in try members.mapValues { try #require(try transaction.db.members.memberIdentifier($0)) } }
        }

        func member(_ name: String) throws -> GroupMemberID { try #require(members[name]) }

        func id(_ name: String) throws -> MemberID { try #require(ids[name]) }

        /// Introduces a member to all to whom it is not introduced yet.
        @discardableResult
        func introduce(_ name: String) async throws -> [String: [ChatMessageEvent]] {
            let id = try member(name)
            let effects = try await scene.memory.run { transaction in
                let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
                try transaction.members.introduce(try transaction.conversations.member(id, in: group), in: group)
            }.1
            return try await scene.sent(effects).mapValues { $0.map(\.message.event) }
        }

        /// What becomes of an event of a member: who gets it in whose name, by the names of those who get it.
        func forwarded(_ event: ChatMessageEvent, from name: String, after seconds: Int64 = 0) async throws -> [String: MessageForward] {
            let effects = try await scene.effects(of: event, from: .member(try member(name)), after: seconds)
            return try await scene.sent(effects).compactMapValues { messages in messages.first { $0.message.event == event }?.forward }
        }

        func receivers(_ event: ChatMessageEvent, from name: String) async throws -> Set<String> { Set(try await forwarded(event, from: name).keys) }

        func set(_ name: String, _ status: GroupMemberStatus) async throws {
            let id = try member(name)
            try await scene.run { try $0.db.members.update(id, status: status, at: $0.now) }
        }
    }

    private func text(_ text: String, to subject: MemberID? = nil) -> ChatMessageEvent {
        .newMessage(MessageContainer(content: .text(text), scope: subject.map(MessageScope.member)))
    }

    @Test func aMessageIsPassedOnInTheNameOfItsAuthorAndAtItsTimeToThoseWhoAreIntroduced() async throws {
        let team = try await Team()
        #expect(try await team.forwarded(text("unheard"), from: "bob").isEmpty, "nobody was introduced yet")
        try await team.introduce("bob")
        let forwards = try await team.forwarded(text("hello"), from: "bob", after: 60)
        #expect(Set(forwards.keys) == ["cath", "mod", "admin"])
        let expected = MessageForward(sender: .member(try team.id("bob"), name: "bob"), brokerTimestamp: MemoryStore.now.adding(seconds: 60))
        #expect(forwards.values.allSatisfy { $0 == expected })
        try await team.scene.close()
    }

    @Test func whoReportsTheConnectionNeedsNoForwardingAndTheOtherOneDoesUntilItReportsToo() async throws {
        let team = try await Team()
        try await team.introduce("bob")
        let bob = try team.id("bob"), cath = try team.id("cath")
        try await team.scene.receive([.memberConnected(memberID: cath)], from: .member(try team.member("bob")))
        #expect(try await team.receivers(text("from bob"), from: "bob") == ["mod", "admin"])
        #expect(try await team.receivers(text("from cath"), from: "cath") == ["bob"])
        try await team.scene.receive([.memberConnected(memberID: bob)], from: .member(try team.member("cath")))
        #expect(try await team.receivers(text("cath again"), from: "cath").isEmpty)
        // What was said once holds, said twice or of somebody who is not there.
        for id in [cath, cath] { try await team.scene.receive([.memberConnected(memberID: id)], from: .member(try team.member("bob"))) }
        let unknown = try await team.scene.receive([.memberConnected(memberID: MemberID([1]))], from: .member(try team.member("bob"))).events
        #expect(unknown.compactMap { if case .chatError(let error) = $0 { Refusal(error).code } else { nil } } == ["groupMemberNotFoundByMemberId"])
        #expect(try await team.receivers(text("bob again"), from: "bob") == ["mod", "admin"])
        try await team.scene.close()
    }

    @Test func ofAMemberWhoIsBlockedForAllNothingIsPassedOnButThatItHasLeft() async throws {
        let team = try await Team()
        try await team.introduce("bob")
        try await team.scene.receive(
            [.restrictMember(memberID: try team.id("bob"), MemberRestrictions(restriction: .blocked))], from: .member(try team.member("mod")))
        let own = try team.id("bob")
        for event in [
            text("spam"), text("spam", to: own), .info(Profile(displayName: "spam", fullName: "")), .probe(Probe(Bytes(repeating: 9, count: 32))),
            .deleteMessage(MessageDeletion(messageID: .random(), memberID: own)), .memberConnected(memberID: try team.id("cath")),
        ] {
            #expect(try await team.receivers(event, from: "bob").isEmpty, "\(event.tag)")
        }
        #expect(try await team.receivers(.leaveGroup, from: "bob") == ["cath", "mod", "admin"])
        #expect(try await team.receivers(.leaveGroup, from: "bob").isEmpty, "once")
        try await team.scene.close()
    }

    @Test func aMessageToTheModeratorsIsPassedOnToThemAndTheirAnswerToTheMember() async throws {
        let team = try await Team()
        for name in ["bob", "cath", "mod"] { try await team.introduce(name) }
        let bob = try team.id("bob")
        #expect(try await team.receivers(text("help", to: bob), from: "bob") == ["mod", "admin"])
        #expect(try await team.receivers(text("what is it?", to: bob), from: "mod") == ["bob", "admin"])
        // A moderator whose app knows no support chats would show it to all.
        let mod = try team.member("mod")
        try await team.scene.setApp(of: mod, to: ChatVersions.groupKnocking - 1)
        #expect(try await team.receivers(text("again", to: bob), from: "bob") == ["admin"])
        try await team.scene.close()
    }

    @Test func whoWaitsToBeLetInHearsOfModeratorsAndNotOfMessagesOrMembers() async throws {
        let team = try await Team { $0.set(.reactions, .on) }
        for name in ["bob", "cath", "mod"] { try await team.introduce(name) }
        try await team.set("cath", .pendingReview)
        #expect(try await !team.receivers(text("members only"), from: "mod").contains("cath"))
        #expect(try await !team.receivers(.info(Profile(displayName: "robert", fullName: "")), from: "bob").contains("cath"))
        #expect(try await team.receivers(.info(Profile(displayName: "moderator", fullName: "")), from: "mod").contains("cath"))
        try await team.set("cath", .pendingApproval)
        #expect(try await !team.receivers(text("still"), from: "mod").contains("cath"))
        try await team.set("cath", .left)
        #expect(try await !team.receivers(.info(Profile(displayName: "mod", fullName: "")), from: "mod").contains("cath"))
        try await team.scene.close()
    }

    @Test func aReactionToAMessageThatIsNotThereGoesOnOnlyWhereItsAuthorMayWrite() async throws {
        let team = try await Team { $0.set(.reactions, .on) }
        for name in ["bob", "cath", "mod"] { try await team.introduce(name) }
        let bob = try team.id("bob"), unknown = SharedMessageID(Bytes(repeating: 5, count: 12))
        func reaction(_ subject: MemberID?) -> ChatMessageEvent {
            .react(
                MessageReactionChange(messageID: unknown, memberID: bob, scope: subject.map(MessageScope.member), reaction: Self.thumb, add: true))
        }
        #expect(try await team.receivers(reaction(bob), from: "cath").isEmpty, "the chat of Bob with the moderators is not Cath's")
        #expect(try await team.scene.count("group_reactions") == 0)
        #expect(try await team.receivers(reaction(bob), from: "mod") == ["bob", "admin"])
        #expect(try await team.receivers(reaction(bob), from: "bob") == ["mod", "admin"])
        #expect(try await team.receivers(reaction(MemberID([1])), from: "mod").isEmpty)
        #expect(try await team.receivers(reaction(nil), from: "cath") == ["bob", "mod", "admin"])
        try await team.scene.close()
    }

    @Test func aMemberWhoIsRemovedByAnotherAdministratorIsToldBeforeItsConnectionEnds() async throws {
        let team = try await Team()
        try await team.introduce("admin")
        let removal = ChatMessageEvent.removeMember(memberID: try team.id("bob"), withMessages: false)
        let effects = try await team.scene.effects(of: removal, from: .member(try team.member("admin")))
        #expect(effects.ended.connections == 1 && effects.ended.last.last == removal)
        #expect(Set(try await team.scene.sent(effects).keys) == ["cath", "mod"])
        try await team.scene.close()
    }

    /// One who leaves may tell the host alone, and go on to write over its own connections.
    @Test func thatAMemberHasLeftAllHearToWhomItMayBeConnectedAndNoOthers() async throws {
        let team = try await Team()
        try await team.introduce("bob")
        let bob = try team.id("bob")
        for (one, other) in [("bob", "cath"), ("cath", "bob"), ("bob", "mod")] {
            try await team.scene.receive([.memberConnected(memberID: try team.id(other))], from: .member(try team.member(one)))
        }
        #expect(try await team.receivers(text("before"), from: "bob") == ["admin"])
        let forwards = try await team.forwarded(.leaveGroup, from: "bob")
        #expect(Set(forwards.keys) == ["cath", "mod", "admin"] && forwards.values.allSatisfy { $0.sender == .member(bob, name: "bob") })
        // It was introduced to nobody.
        let stranger = try await Team()
        #expect(try await stranger.receivers(.leaveGroup, from: "bob").isEmpty)
        for team in [team, stranger] { try await team.scene.close() }
    }

    /// A member ends its connection with one who has left when an administrator says so, and takes what comes twice once.
    @Test func aMemberWhomAnAdministratorTellsThatAnotherHasLeftEndsItsConnectionAndTakesTheSecondTellingInSilence() async throws {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: .member, with: ["admin": .admin, "bob": .member])
        let (admin, bob) = (try #require(members["admin"]), try #require(members["bob"]))
        try await scene.run { try $0.db.members.update(bob, category: .pre, invitedBy: admin, versions: ChatVersionRange(ChatVersions.supported)) }
        let id = try #require(try await scene.run { try $0.db.members.memberIdentifier(bob) })
        var told: [[String]] = []
        for messageID in [SharedMessageID(Bytes(repeating: 5, count: 12)), SharedMessageID(Bytes(repeating: 5, count: 12)), nil] {
            let message = ChatMessage(messageID: messageID, event: .leaveGroup)
            let forward = ChatMessageEvent.forwardMessage(MessageForward(sender: .member(id, name: "bob"), brokerTimestamp: MemoryStore.now), message)
            told.append(try await scene.receive([forward], from: .member(admin)).events.types)
        }
        #expect(told == [["newChatItems", "leftMember"], [], []])
        #expect(try await scene.count("agent_work WHERE kind = 'delete'") == 1)
        #expect(try await scene.run { try $0.db.members.find(bob)?.status } == .left)
        try await scene.close()
    }

    @Test(arguments: [ChatVersions.supported.max, 16])
    func whatIsPassedOnWaitsForAMemberWhoseQueueIsFullInOrderWithWhatThisProfileWrites(_ version: ChatVersion) async throws {
        let team = try await Team()
        try await team.introduce("bob")
        let cath = try team.member("cath")
        try await team.scene.setApp(of: cath, to: version)
        try await team.scene.fillQueue(of: cath)
        try await team.scene.send("one", to: .group(RuleScene.group))
        for event in [text("two"), text("three")] { #expect(try await team.receivers(event, from: "bob") == ["mod", "admin"]) }
        try await team.scene.send("four", to: .group(RuleScene.group))
        #expect(try await team.receivers(.leaveGroup, from: "bob") == ["mod", "admin"])
        let effects = try await team.scene.report(.sendingContinued, from: .member(cath))
        let received = try await team.scene.sent(effects)["cath"] ?? []
        let bob = MessageForward.Sender.member(try team.id("bob"), name: "bob")
        let told = received.map { received in
            if case .forwardMessage(let forward, let message) = received.message.event {
                (forward.sender, message.event)
            } else {
                (received.forward?.sender, received.message.event)
            }
        }
        #expect(told.map(\.0) == [nil, bob, bob, nil, bob])
        #expect(
            told.map { if case .newMessage(let container) = $0.1 { container.content.text } else { "\($0.1.tag)" } }.prefix(4) == [
                "one", "two", "three", "four",
            ])
        #expect(told.last?.1 == .leaveGroup)
        #expect(try await team.scene.count("pending_member_messages") == 0)
        try await team.scene.close()
    }

    @Test func aMessageTooLongForTheFormOfAnOldAppIsLeftOutForThatAppAlone() async throws {
        let team = try await Team()
        try await team.introduce("bob")
        try await team.scene.setApp(of: try team.member("cath"), to: 16)
        let empty = try ChatMessage(messageID: .random(), event: text("")).body(limit: ChatLimits.encodedMessage)
        let long = text(String(repeating: "x", count: ChatLimits.encodedMessage - 100 - empty.count))
        #expect(try await team.receivers(long, from: "bob") == ["mod", "admin"])
        #expect(try await team.scene.texts(in: .group(RuleScene.group)).count == 1, "it is read here")
        try await team.scene.close()
    }

    @Test func whoIsRemovedWhileItsQueueIsFullGetsWhatWaitsAndTheRemoval() async throws {
        let team = try await Team()
        for name in ["bob", "admin"] { try await team.introduce(name) }
        let cath = try team.member("cath"), removal = ChatMessageEvent.removeMember(memberID: try team.id("cath"), withMessages: false)
        try await team.scene.fillQueue(of: cath)
        #expect(try await !team.receivers(text("hello"), from: "bob").contains("cath"))
        let effects = try await team.scene.effects(of: removal, from: .member(try team.member("admin")))
        #expect(effects.ended.connections == 1 && effects.ended.last.suffix(2) == [text("hello"), removal])
        #expect(try await team.scene.count("pending_member_messages") == 0)
        try await team.scene.close()
    }

    @Test func everybodyIsIntroducedToEverybodyOnceAdministratorsFirstAndWithWhatHoldsForThem() async throws {
        let team = try await Team()
        let cath = try team.member("cath")
        try await team.scene.run { transaction in
            try transaction.db.members.update(cath, isBlocked: true, at: transaction.now)
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
            let pictured = Profile(displayName: "mod", fullName: "", image: ImageData("data:image/png;base64,AA=="))
            let id = try #require(team.members["mod"])
            try transaction.db.members.update(
                try transaction.conversations.member(id, in: group), user: MemoryStore.user, profile: pictured, at: transaction.now)
        }
        let sent = try await team.introduce("bob")
        let introduced = sent["bob", default: []].compactMap { event in
            if case .introduceMember(let info, let restrictions) = event { (info.memberID, restrictions?.restriction) } else { nil }
        }
        #expect(introduced.map(\.0) == [try team.id("admin"), try team.id("mod"), try team.id("cath")])
        #expect(introduced.map(\.1) == [nil, nil, .blocked])
        for name in ["admin", "mod", "cath"] {
            guard case .newMember(let info, nil)? = sent[name]?.first else { throw UnexpectedAnswer() }
            #expect(info.memberID == (try team.id("bob")) && sent[name]?.count == 1, "\(name)")
        }
        #expect(try await team.introduce("bob").isEmpty, "all know each other")
        // Cath knows Bob from his introduction already.
        #expect(Set(try await team.introduce("cath").keys) == ["cath", "mod", "admin"])
        try await team.scene.close()
    }

    @Test(arguments: [(ChatVersions.supported.max, true, false), (16, false, true), (4, false, true), (3, false, false)])
    func eachAppGetsForwardedMessagesInTheFormThatItReads(_ version: ChatVersion, inBinary: Bool, inJSON: Bool) async throws {
        let team = try await Team()
        try await team.introduce("bob")
        let cath = try team.member("cath")
        try await team.scene.setApp(of: cath, to: version)
        let event = text("hello")
        let effects = try await team.scene.effects(of: event, from: .member(try team.member("bob")))
        let received = try await team.scene.sent(effects)["cath"] ?? []
        let nested = received.filter { if case .forwardMessage(_, let message) = $0.message.event { message.event == event } else { false } }
        #expect(received.contains { $0.forward != nil && $0.message.event == event } == inBinary)
        #expect(nested.isEmpty == !inJSON)
        #expect(received.count == (inBinary || inJSON ? 1 : 0))
        try await team.scene.close()
    }
}
