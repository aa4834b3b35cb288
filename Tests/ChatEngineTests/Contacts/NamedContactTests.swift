import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPCrypto
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Contacts whom the owner of the profile has named, by their link or later: nothing that is received makes anybody else of them, or them of anybody else.
@Suite struct NamedContactTests {
    /// The place that has the name.
    enum Naming: CaseIterable, Sendable {
        case link, contact, both
    }

    private static let probe = Probe(Bytes(repeating: 5, count: 32))
    private static var hash: ProbeHash { ProbeHash(Hash.sha256(probe.bytes)) }
    private static let link = "simplex:/invitation#/?v=2-7&smp=x&b"

    /// Names a contact.
    private func name(_ contact: ContactID, _ naming: Naming = .both, in scene: RuleScene) async throws {
        try await scene.run { transaction in
            let connection = try #require(try transaction.db.connections.connections(ofContact: contact).first)
            if naming != .contact { try transaction.db.connections.update(connection.id, alias: "ann", at: transaction.now) }
            let profile = try transaction.conversations.contact(contact, of: try transaction.user()).profile.profileID
            if naming != .link { try transaction.db.profiles.updateProfileAlias(profile, alias: "ann") }
        }
    }

    private func contact(_ id: ContactID, in scene: RuleScene) async throws -> Contact {
        try await scene.run { try $0.conversations.contact(id, of: try $0.user()) }
    }

    /// Each order and each way of the probe and its hash, before and after the contact or the member is there.
    @Test(arguments: Naming.allCases, [true, false])
    func aProbeThatComesFromBothSidesMakesNoMemberOfThem(_ naming: Naming, memberFirst: Bool) async throws {
        for probeByContact in [true, false] {
            for probeFirst in [true, false] {
                let scene = try await RuleScene()
                // Who is there first keeps the name when a contact and a member are taken for one.
                if memberFirst { try await scene.addGroup(with: ["bob": .member]) }
                let bob = try await scene.addContact("bob")
                if !memberFirst { try await scene.addGroup(with: ["bob": .member]) }
                try await name(bob, naming, in: scene)
                let member: GroupMemberID = try await scene.run { transaction in
                    try #require(try transaction.db.members.members(of: RuleScene.group).first).groupMemberID
                }
                let before = (try await contact(bob, in: scene), try await scene.member(member))
                let ways: [RuleScene.Sender] = probeByContact ? [.contact(bob), .member(member)] : [.member(member), .contact(bob)]
                var messages: [(ChatMessageEvent, RuleScene.Sender)] = [(.probe(Self.probe), ways[0]), (.checkProbe(Self.hash), ways[1])]
                if !probeFirst { messages.reverse() }
                for (message, way) in messages {
                    let told = try await scene.receive([message], from: way)
                    #expect(told.sent.isEmpty && told.events.isEmpty, "\(naming) \(message.tag)")
                }
                let after = (try await contact(bob, in: scene), try await scene.member(member))
                #expect(after.0.profile == before.0.profile && after.0.localDisplayName == before.0.localDisplayName)
                #expect(after.1.contactID == nil && after.1.profile == before.1.profile && after.1.localDisplayName == before.1.localDisplayName)
                try await scene.close()
            }
        }
    }

    @Test(arguments: Naming.allCases)
    func aProbeThatWasSentBeforeTheContactHadItsNameIsConfirmedToNoEnd(_ naming: Naming) async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let member = try #require(try await scene.addGroup(with: ["bob": .member])["bob"])
        let sent = try await scene.memory.run { transaction in
            let user = try transaction.user()
            try transaction.probes.probe(try transaction.conversations.contact(bob, of: user), of: user)
        }.1.sent
        let probe = try #require(sent.compactMap { if case .probe(let probe) = $0 { probe } else { nil } }.first)
        try await name(bob, naming, in: scene)
        #expect(try await scene.receive([.confirmProbe(probe)], from: .member(member)).events.isEmpty)
        #expect(try await scene.member(member).contactID == nil)
        // From then on the contact gets a probe that is kept nowhere, and nobody its hash.
        let later = try await scene.memory.run { transaction in
            let user = try transaction.user()
            try transaction.probes.probe(try transaction.conversations.contact(bob, of: user), of: user)
        }.1.sent
        #expect(later.map(\.tag) == [.probe])
        #expect(try await scene.count("sent_probes") == 1)
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func aMemberWhoIsTakenForAContactDoesNotGetItsConnection(isNamed: Bool) async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let member = try #require(try await scene.addGroup(with: ["bob": .member]) { $0.set(.directMessages, .on) }["bob"])
        try await scene.receive([.probe(Self.probe)], from: .contact(bob))
        try await scene.receive([.checkProbe(Self.hash)], from: .member(member))
        #expect(try await scene.member(member).contactID == bob)
        if isNamed {
            try await name(bob, in: scene)
            try await scene.run { transaction in
                let connection = try #require(try transaction.db.connections.connections(ofContact: bob).first)
                try transaction.db.connections.update(connection.id, authErrors: Connection.disablingErrorCount, quotaErrors: 0)
            }
        }
        let before = try await contact(bob, in: scene)
        let told = try await scene.receive(
            [.groupDirectInvitation(connectionRequest: Self.link, content: .text("it is me"), scope: nil)], from: .member(member))
        #expect(told.events.messageErrors == ["x.grp.direct.inv: the contact is connected (ignoring)"])
        #expect(try await contact(bob, in: scene) == before && before.activeConnection != nil)
        #expect(try await scene.count("agent_work") == 0)
        #expect(try await scene.texts(in: .direct(bob)).isEmpty)
        try await scene.close()
    }

    @Test func aContactThatCannotBeReachedAnyMoreComesBackByAnInvitationOfItsMember() async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let member = try #require(try await scene.addGroup(with: ["bob": .member]) { $0.set(.directMessages, .on) }["bob"])
        try await scene.receive([.probe(Self.probe)], from: .contact(bob))
        try await scene.receive([.checkProbe(Self.hash)], from: .member(member))
        try await scene.run { try $0.db.contacts.update(bob, status: .deleted, at: $0.now) }
        try await scene.receive([.groupDirectInvitation(connectionRequest: Self.link, content: nil, scope: nil)], from: .member(member))
        #expect(try await contact(bob, in: scene).groupDirectInvitation?.link == Self.link)
        try await scene.close()
    }

    @Test(arguments: [GroupMemberRole.moderator, .admin, .owner])
    func nobodyWritesEditsOrDeletesInTheNameOfOneWhomThisProfileHasLetIn(_ role: GroupMemberRole) async throws {
        let scene = try await RuleScene()
        let members = try await scene.addGroup(as: .admin, with: ["ann": .member, "mallory": role])
        let ann = try #require(members["ann"]), mallory = try #require(members["mallory"])
        try await scene.updateApps()
        let id = try await scene.run { transaction in
            try transaction.db.run("UPDATE group_members SET invited_by_user = 1 WHERE group_member_id = ?", [ann])
            return try #require(try transaction.db.members.memberIdentifier(ann))
        }
        let message = SharedMessageID.random()
        try await scene.receive([.newMessage(MessageContainer(content: .text("Ann's words")))], from: .member(ann), id: message)
        let forged: [ChatMessageEvent] = [
            .newMessage(MessageContainer(content: .text("/news forged"))), .updateMessage(MessageUpdate(messageID: message, content: .text("/news forged"))),
            .deleteMessage(MessageDeletion(messageID: message)), .info(Profile(displayName: "forged", fullName: "")), .leaveGroup,
        ]
        for event in forged {
            let forward = ChatMessageEvent.forwardMessage(
                MessageForward(sender: .member(id, name: "ann"), brokerTimestamp: MemoryStore.now), ChatMessage(messageID: .random(), event: event))
            let before = try await scene.member(ann)
            try await scene.receive([forward], from: .member(mallory))
            #expect(try await scene.texts(in: .group(RuleScene.group, scope: nil)) == ["Ann's words"], "\(event.tag)")
            #expect(try await scene.member(ann) == before, "\(event.tag)")
        }
        try await scene.close()
    }

    // MARK: Folders of earlier versions

    @Test(arguments: [true, false])
    func membersWhomEarlierVersionsTookForANamedContactAreSeparatedFromIt(contactWasFirst: Bool) async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let member = try #require(try await scene.addGroup(with: ["bob": .member])["bob"])
        try await name(bob, in: scene)
        try await scene.run { transaction in
            let user = try transaction.user(), contact = try transaction.conversations.contact(bob, of: user),
                member = try #require(try transaction.db.members.find(member))
            if contactWasFirst {
                try transaction.db.contacts.associate(member, with: contact, user: user.userID)
            } else {
                try transaction.db.contacts.associate(contact, with: member, user: user.userID)
            }
        }
        let merged = try await scene.member(member)
        #expect(merged.contactID == bob && merged.profile.localAlias == (contactWasFirst ? "ann" : ""))
        for _ in 0..<2 {
            try await scene.run { try AliasedContacts.separateMembers($0.db) }
            let contact = try await contact(bob, in: scene), member = try await scene.member(member)
            #expect(contact.profile.localAlias == "ann" && contact.profile.displayName == "bob")
            #expect(member.contactID == nil && member.profile.localAlias.isEmpty && member.profile.displayName == "bob")
            #expect(member.profileID != contact.profile.profileID && member.localDisplayName != contact.localDisplayName)
        }
        // What one publishes does not change the other.
        try await scene.receive([.info(Profile(displayName: "robert", fullName: ""))], from: .member(member))
        #expect(try await contact(bob, in: scene).profile.displayName == "bob")
        #expect(try await scene.member(member).localDisplayName == "robert")
        #expect(try await scene.count("display_names WHERE base = 'bob'") == 1)
        try await scene.close()
    }

    @Test(arguments: ["invited", "host", "unnamed"])
    func membersWhoAreTheContactStayTheContact(_ reason: String) async throws {
        let scene = try await RuleScene(), bob = try await scene.addContact("bob")
        let member = try #require(try await scene.addGroup(with: ["bob": .member])["bob"])
        if reason != "unnamed" { try await name(bob, in: scene) }
        try await scene.run { transaction in
            let user = try transaction.user(), contact = try transaction.conversations.contact(bob, of: user)
            try transaction.db.contacts.associate(try #require(try transaction.db.members.find(member)), with: contact, user: user.userID)
            if reason == "invited" { try transaction.db.run("UPDATE group_members SET sent_invitation_link = 'x' WHERE group_member_id = ?", [member]) }
            if reason == "host" { try transaction.db.run("UPDATE group_members SET category = 'host' WHERE group_member_id = ?", [member]) }
            try AliasedContacts.separateMembers(transaction.db)
        }
        #expect(try await scene.member(member).contactID == bob)
        try await scene.close()
    }
}
