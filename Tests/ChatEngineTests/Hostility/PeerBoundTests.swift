import ChatAPI
import ChatProtocol
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatStore

/// What peers leave behind in the store is bounded, whatever they send.
@Suite("What peers leave behind")
struct PeerBoundTests {
    private static let emoji = MessageReaction.emoji(ReactionEmoji.allCases[0])

    private static func reaction(to id: SharedMessageID, by author: MemberID? = nil) -> ChatMessageEvent {
        .react(MessageReactionChange(messageID: id, memberID: author, reaction: emoji, add: true))
    }

    @Test("of reactions to messages that do not exist the newest hundred of a contact stay")
    func reactionsOfContacts() async throws {
        let scene = try await RuleScene(), limit = ReactionTable.earlyReactionLimit
        let bob = try await scene.addContact("bob"), mallory = try await scene.addContact("mallory")
        let early = SharedMessageID.random()
        try await scene.receive([Self.reaction(to: early)], from: .contact(bob))
        for number in 0..<limit + 30 {
            try await scene.receive([Self.reaction(to: .random())], from: .contact(mallory), after: Int64(number))
        }
        #expect(try await scene.count("reactions WHERE contact_id = \(mallory)") == Int64(limit))
        #expect(try await scene.count("reactions WHERE contact_id = \(bob)") == 1)
        try await scene.close()
    }

    @Test("a reaction that came before its message is shown with it, and stays whatever comes after it")
    func early() async throws {
        let scene = try await RuleScene(), limit = ReactionTable.earlyReactionLimit
        let bob = try await scene.addContact("bob"), id = SharedMessageID.random()
        try await scene.receive([Self.reaction(to: id)], from: .contact(bob))
        try await scene.receive([.newMessage(MessageContainer(content: .text("late")))], from: .contact(bob), id: id)
        for number in 0..<limit + 30 { try await scene.receive([Self.reaction(to: .random())], from: .contact(bob), after: Int64(number)) }
        #expect(try await scene.messages(in: .direct(bob)).first?.reactions.map(\.reaction) == [Self.emoji])
        // Reactions to messages that are there are not counted.
        try await scene.receive([.newMessage(MessageContainer(content: .text("next")))], from: .contact(bob))
        #expect(try await scene.count("reactions WHERE is_early = 1") == Int64(limit))
        try await scene.close()
    }

    @Test("of reactions to messages that do not exist the newest hundred of a member stay")
    func reactionsOfMembers() async throws {
        let scene = try await RuleScene(), limit = ReactionTable.earlyReactionLimit
        let ids = try await scene.addGroup(with: ["bob": .member, "mallory": .member])
        let bob = try #require(ids["bob"]), mallory = try #require(ids["mallory"]), author = try await scene.member(bob).memberID
        let id = SharedMessageID.random()
        try await scene.receive([Self.reaction(to: id, by: author)], from: .member(mallory))
        try await scene.receive([.newMessage(MessageContainer(content: .text("late")))], from: .member(bob), id: id)
        for number in 0..<limit + 30 {
            try await scene.receive([Self.reaction(to: .random(), by: author)], from: .member(mallory), after: Int64(number))
        }
        #expect(try await scene.count("group_reactions WHERE is_early = 1") == Int64(limit))
        #expect(try await scene.count("group_reactions") == Int64(limit) + 1)
        #expect(try await scene.messages(in: .group(RuleScene.group)).first?.reactions.map(\.reaction) == [Self.emoji])
        try await scene.close()
    }

    @Test("of the probes and hashes of one contact fifty of each stay, and those of others are not touched")
    func probes() async throws {
        let scene = try await RuleScene()
        let bob = try await scene.addContact("bob"), mallory = try await scene.addContact("mallory")
        let ids = try await scene.addGroup(with: ["eve": .member])
        let eve = try #require(ids["eve"])
        try await scene.receive([.probe(Probe(Bytes(repeating: 9, count: 32)))], from: .contact(bob))
        for number in 0..<UInt8(80) {
            for sender in [RuleScene.Sender.contact(mallory), .member(eve)] {
                try await scene.receive(
                    [.probe(Probe(Bytes(repeating: number, count: 32))), .checkProbe(ProbeHash(Bytes(repeating: number, count: 32)))], from: sender)
            }
        }
        #expect(try await scene.count("received_probes WHERE contact_id = \(mallory) AND probe IS NOT NULL") == 50)
        #expect(try await scene.count("received_probes WHERE contact_id = \(mallory) AND probe IS NULL") == 50)
        #expect(try await scene.count("received_probes WHERE group_member_id = \(eve)") == 100)
        #expect(try await scene.count("received_probes WHERE contact_id = \(bob)") == 1)
        try await scene.close()
    }

    @Test("a contact can leave a hundred invitations to groups open, and one that is declined makes room")
    func invitations() async throws {
        let scene = try await RuleScene()
        let mallory = try await scene.addContact("mallory")
        let host = MemberIDRole(memberID: MemberID([2]), role: .owner), invited = MemberIDRole(memberID: MemberID([1]), role: .member)
        func invite(_ number: Int) async throws -> [ChatEvent] {
            try await scene.receive(
                [
                    .groupInvitation(
                        GroupInvitation(
                            fromMember: host, invitedMember: invited, connectionRequest: "link \(number)",
                            groupProfile: GroupProfile(displayName: "team \(number)", fullName: "")))
                ], from: .contact(mallory)
            ).events
        }
        func isRefused(_ events: [ChatEvent]) -> Bool {
            events.contains { if case .messageError(_, _, let text) = $0 { text.hasPrefix("x.grp.inv") } else { false } }
        }
        let limit = Int(GroupInvitations.openInvitationLimit)
        for number in 0..<limit { #expect(try await !isRefused(invite(number))) }
        #expect(try await isRefused(invite(limit)))
        #expect(try await scene.count("groups") == Int64(limit))
        // The same one again is no further one.
        #expect(try await !isRefused(invite(0)))
        try await scene.run { try $0.db.run("UPDATE group_members SET status = 'left' WHERE category = 'host' AND group_id = 1") }
        #expect(try await !isRefused(invite(limit)))
        try await scene.close()
    }

    // MARK: Members who come and go

    @Test("the index of a member who has left goes to the next one once many have joined, and nothing of the last owner is left")
    func indexes() async throws {
        let scene = try await RuleScene()
        let ids = try await scene.addGroup(with: ["bob": .member, "eve": .member])
        let bob = try #require(ids["bob"]), eve = try #require(ids["eve"])
        let old = try await scene.member(eve).indexInGroup
        try await scene.run { transaction in
            var relations = MemberRelations()
            relations.introduce(old, isIntroducedToSubject: true)
            relations.introduce(old + 5, isIntroducedToSubject: true)
            try transaction.db.members.update(bob, relations: relations)
            try transaction.db.run("UPDATE groups SET next_member_index = 1024")
        }
        // Nobody else gets it while she is there.
        let next = try await scene.run { try $0.insertConnectedMember("cath", role: .member, in: RuleScene.group) }
        #expect(try await scene.member(next).indexInGroup != old)
        try await scene.receive([.newMessage(MessageContainer(content: .text("x"))), .leaveGroup], from: .member(eve))
        #expect(try await scene.member(eve).status == .left)
        let heir = try await scene.run { try $0.insertConnectedMember("dan", role: .member, in: RuleScene.group) }
        #expect(try await scene.member(heir).indexInGroup == old)
        let relations = try await scene.run { try $0.db.members.relations(ofMember: bob) }
        #expect(relations[old] == .new && relations[old + 5] == .introduced)
        #expect(try await scene.count("groups WHERE next_member_index = 1024") == 1)
        try await scene.close()
    }

    @Test("those who join and leave again and again make neither the relations of members nor what a join reads grow")
    func loops() async throws {
        let scene = try await RuleScene()
        let ids = try await scene.addGroup(with: ["bob": .member])
        let bob = try #require(ids["bob"])
        try await scene.run { try $0.db.run("UPDATE groups SET next_member_index = 1024") }
        for number in 0..<40 {
            let id = try await scene.run { transaction -> GroupMemberID in
                let id = try transaction.insertConnectedMember("m\(number)", role: .member, in: RuleScene.group)
                let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
                try transaction.members.introduce(try #require(try transaction.db.members.find(id)), in: group)
                return id
            }
            try await scene.receive([.newMessage(MessageContainer(content: .text("x"))), .leaveGroup], from: .member(id))
        }
        #expect(try await scene.run { try $0.db.members.relations(ofMember: bob) }.bytes.count <= 8)
        let (current, all) = try await scene.run { (try $0.db.members.current(of: RuleScene.group), try $0.db.members.members(of: RuleScene.group)) }
        #expect(current == all.filter(\.status.isCurrent) && current.map(\.groupMemberID) == [bob] && all.count == 41)
        try await scene.close()
    }

    // MARK: Descriptions of files

    @Test("the parts of a description are appended, and none writes the text of the others again")
    func descriptions() async throws {
        let scene = try await RuleScene()
        let mallory = try await scene.addContact("mallory"), id = SharedMessageID.random()
        let file = FileInvitation(name: "x", size: 1, fileDescription: FileDescription(text: "begin ", partNumber: 0, isComplete: false))
        try await scene.receive([.newMessage(MessageContainer(content: .file("x"), file: file))], from: .contact(mallory), id: id)
        func send(_ text: String, _ number: Int, isComplete: Bool = false) async throws -> [ChatEvent] {
            try await scene.receive(
                [.fileDescription(messageID: id, FileDescription(text: text, partNumber: number, isComplete: isComplete))], from: .contact(mallory)
            )
            .events
        }
        let part = String(repeating: "x", count: 9_000)
        for number in 1...100 { _ = try await send(part, number) }
        // The row of the file holds what it held before.
        #expect(try await scene.run { try $0.db.first("SELECT description FROM files") { $0.text() } } == "begin ")
        #expect(try await scene.run { try $0.db.first("SELECT description_part FROM files") { $0.int() } } == 100)
        // Parts in a wrong order, again, or beyond the largest size change nothing.
        for (text, number) in [("x", 100), ("x", 102), ("", 101), (String(repeating: "x", count: ChatLimits.fileDescription), 101)] {
            #expect(try await send(text, number).contains { if case .chatError = $0 { true } else { false } })
        }
        #expect(try await scene.count("file_description_parts") == 100)
        _ = try await send("end", 101, isComplete: true)
        let whole = try await scene.run { try $0.db.first("SELECT description FROM files") { $0.text() } }
        #expect(whole == "begin " + String(repeating: part, count: 100) + "end")
        #expect(try await scene.count("file_description_parts") == 0)
        try await scene.close()
    }

    @Test("a description that an earlier version has begun is completed")
    func earlierDescription() async throws {
        let scene = try await RuleScene()
        let bob = try await scene.addContact("bob"), id = SharedMessageID.random()
        let file = FileInvitation(name: "x", size: 1, fileDescription: .pending)
        try await scene.receive([.newMessage(MessageContainer(content: .file("x"), file: file))], from: .contact(bob), id: id)
        try await scene.run { try $0.db.run("UPDATE files SET description = 'one two ', description_part = 2") }
        for (text, number) in [("three ", 3), ("four", 4)] {
            try await scene.receive(
                [.fileDescription(messageID: id, FileDescription(text: text, partNumber: number, isComplete: number == 4))], from: .contact(bob))
        }
        #expect(try await scene.run { try $0.db.first("SELECT description FROM files") { $0.text() } } == "one two three four")
        try await scene.close()
    }
}
