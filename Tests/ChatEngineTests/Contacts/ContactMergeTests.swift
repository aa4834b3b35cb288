import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPCrypto
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Contacts and members who are found to be the same person, and those who only claim it.
@Suite struct ContactMergeTests {
    private static let probe = Probe(Bytes(repeating: 5, count: 32))
    private static var hash: ProbeHash { ProbeHash(Hash.sha256(probe.bytes)) }

    /// A contact and a member of the same name.
    private func scene() async throws -> (RuleScene, contact: ContactID, member: GroupMemberID) {
        let scene = try await RuleScene(), contact = try await scene.addContact("bob")
        let members = try await scene.addGroup(with: ["bob": .member])
        return (scene, contact, try #require(members["bob"]))
    }

    private func isAssociated(_ scene: RuleScene, _ member: GroupMemberID) async throws -> Bool { try await scene.member(member).contactID != nil }

    private func confirmations(_ sent: [ChatMessageEvent]) -> [ChatMessageEvent] {
        sent.filter { if case .confirmProbe = $0 { true } else { false } }
    }

    @Test(arguments: [true, false], [true, false])
    func whoSendsTheProbeByOneWayAndItsHashByTheOtherIsTheSamePerson(probeByContact: Bool, probeFirst: Bool) async throws {
        let (scene, contact, member) = try await scene()
        let ways: [RuleScene.Sender] = probeByContact ? [.contact(contact), .member(member)] : [.member(member), .contact(contact)]
        var messages: [(ChatMessageEvent, RuleScene.Sender)] = [(.probe(Self.probe), ways[0]), (.checkProbe(Self.hash), ways[1])]
        if !probeFirst { messages.reverse() }
        let first = try await scene.receive([messages[0].0], from: messages[0].1)
        #expect(first.sent.isEmpty)
        #expect(try await !isAssociated(scene, member))
        let second = try await scene.receive([messages[1].0], from: messages[1].1)
        #expect(confirmations(second.sent) == [.confirmProbe(Self.probe)])
        #expect(second.events.types == ["contactAndMemberAssociated"])
        #expect(try await scene.member(member).contactID == contact)
        #expect(try await scene.member(member).localDisplayName == "bob", "the older name stays")
        #expect(try await scene.count("display_names WHERE base = 'bob'") == 1)
        // The same again changes nothing.
        for (message, way) in messages { #expect(try await scene.receive([message], from: way).events.isEmpty) }
        try await scene.close()
    }

    @Test func whoConfirmsAProbeThatItWasShownIsTheOneItWasSentTo() async throws {
        let (scene, contact, member) = try await scene()
        let sent = try await scene.memory.run { transaction in
            let user = try transaction.user()
            try transaction.probes.probe(try transaction.conversations.contact(contact, of: user), of: user)
        }.1.sent
        let probes = sent.compactMap { if case .probe(let probe) = $0 { probe } else { nil } },
            hashes = sent.compactMap { if case .checkProbe(let hash) = $0 { hash } else { nil } }
        let probe = try #require(probes.first)
        #expect(probes.count == 1 && hashes == [ProbeHash(Hash.sha256(probe.bytes))])
        // Others who confirm it, and who confirm another one, are nobody.
        #expect(try await scene.receive([.confirmProbe(probe)], from: .contact(contact)).events.isEmpty)
        #expect(try await scene.receive([.confirmProbe(Self.probe)], from: .member(member)).events.isEmpty)
        #expect(try await scene.receive([.confirmProbe(probe)], from: .member(member)).events.types == ["contactAndMemberAssociated"])
        #expect(try await isAssociated(scene, member))
        try await scene.close()
    }

    @Test func aHashIsSentOnlyToMembersOfTheSameNameAndPicture() async throws {
        let (scene, contact, _) = try await scene()
        try await scene.run { transaction in
            for (name, image) in [("bob", "data:image/png;base64,AA=="), ("bobby", nil)] as [(String, String?)] {
                let id = try transaction.insertConnectedMember(name, role: .member, in: RuleScene.group)
                let member = try #require(try transaction.db.members.find(id))
                let profile = Profile(displayName: name, fullName: "", image: image.map { ImageData($0) })
                try transaction.db.members.update(member, user: MemoryStore.user, profile: profile, at: transaction.now)
            }
        }
        let sent = try await scene.memory.run { try $0.probes.probe(try $0.conversations.contact(contact, of: try $0.user()), of: try $0.user()) }.1.sent
        #expect(sent.map(\.tag) == [.probe, .checkProbe], "the probe to the contact, the hash to one member")
        try await scene.close()
    }

    @Test func whoShowsAnotherProfileIsNotTheSamePersonWhateverItKnows() async throws {
        let (scene, contact, member) = try await scene()
        try await scene.receive([.info(Profile(displayName: "bob", fullName: "Robert"))], from: .member(member))
        try await scene.receive([.probe(Self.probe)], from: .contact(contact))
        let told = try await scene.receive([.checkProbe(Self.hash)], from: .member(member))
        #expect(confirmations(told.sent).isEmpty)
        #expect(try await !isAssociated(scene, member))
        try await scene.close()
    }

    @Test(arguments: ["off", "contact", "group"])
    func nobodyIsFoundOutWhereMergingIsOffOrTheProfileIsARandomOne(_ reason: String) async throws {
        let (scene, contact, member) = try await scene()
        try await scene.run { transaction in
            let user = try transaction.user()
            switch reason {
            case "off": try transaction.db.settings.setMergesContacts(false)
            case "contact":
                let random = try transaction.db.profiles.insert(RandomProfile.make(transaction.random), user: user.userID, incognito: true, at: transaction.now)
                let connection = try #require(try transaction.db.connections.connections(ofContact: contact).first)
                try transaction.db.connections.update(connection.id, incognitoProfile: random, at: transaction.now)
            default:
                let profile = RandomProfile.make(transaction.random)
                let random = try transaction.db.profiles.insert(profile, user: user.userID, incognito: true, at: transaction.now)
                let own = try transaction.conversations.group(RuleScene.group, of: user).membership.groupMemberID
                try transaction.db.members.update(own, incognitoProfile: random, name: profile.displayName)
            }
        }
        for (first, second) in [(RuleScene.Sender.contact(contact), RuleScene.Sender.member(member)), (.member(member), .contact(contact))] {
            try await scene.receive([.probe(Self.probe)], from: first)
            let told = try await scene.receive([.checkProbe(Self.hash)], from: second)
            #expect(told.sent.isEmpty && told.events.isEmpty)
        }
        #expect(try await !isAssociated(scene, member))
        // What this profile sends to the member tells nothing, either: where it must not find out who that is, the probe is one that is kept nowhere.
        let sent = try await scene.memory.run { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
            try transaction.probes.probe(try transaction.conversations.member(member, in: group), in: group, of: user)
        }.1.sent
        #expect(sent.map(\.tag) == [.probe])
        #expect(try await scene.count("sent_probes") == (reason == "contact" ? 1 : 0))
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func whoHasLeftOrIsSinceKnownByARandomProfileIsNotFoundOut(hasLeft: Bool) async throws {
        let (scene, contact, member) = try await scene()
        try await scene.receive([.probe(Self.probe)], from: .contact(contact))
        try await scene.run { transaction in
            if hasLeft { return try transaction.db.members.update(member, status: .left, at: transaction.now) }
            let profile = RandomProfile.make(transaction.random), user = try transaction.user()
            let random = try transaction.db.profiles.insert(profile, user: user.userID, incognito: true, at: transaction.now)
            let connection = try #require(try transaction.db.connections.connections(ofContact: contact).first)
            try transaction.db.connections.update(connection.id, incognitoProfile: random, at: transaction.now)
        }
        let told = try await scene.memory.run { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
            try transaction.probes.receive(Self.hash, from: .member(group, try transaction.conversations.member(member, in: group)), of: user)
        }.1
        #expect(told.sent.isEmpty && told.events.isEmpty)
        #expect(try await !isAssociated(scene, member))
        // Nor is such a one asked whether it is the contact.
        if hasLeft {
            let sent = try await scene.memory.run { try $0.probes.probe(try $0.conversations.contact(contact, of: try $0.user()), of: try $0.user()) }.1.sent
            #expect(sent.map(\.tag) == [.probe])
        }
        try await scene.close()
    }

    @Test func aMemberOfWhomThereIsAContactIsNotGivenToAnother() async throws {
        let (scene, contact, member) = try await scene()
        let other = try await scene.addContact("bob")
        try await scene.receive([.probe(Self.probe)], from: .contact(contact))
        try await scene.receive([.checkProbe(Self.hash)], from: .member(member))
        let second = Probe(Bytes(repeating: 6, count: 32))
        try await scene.receive([.probe(second)], from: .contact(other))
        let told = try await scene.receive([.checkProbe(ProbeHash(Hash.sha256(second.bytes)))], from: .member(member))
        #expect(told.events.isEmpty && confirmations(told.sent).isEmpty)
        #expect(try await scene.member(member).contactID == contact)
        try await scene.close()
    }

    @Test func aFloodOfHashesFindsNobodyAndIsForgottenAfterItsTime() async throws {
        let (scene, contact, member) = try await scene()
        let hashes = (0..<300).map { ChatMessageEvent.checkProbe(ProbeHash(Hash.sha256(Bytes(String($0).utf8)))) }
        let told = try await scene.receive(hashes, from: .member(member))
        #expect(told.events.isEmpty && told.sent.isEmpty)
        try await scene.receive([.probe(Self.probe)], from: .contact(contact))
        #expect(try await !isAssociated(scene, member))
        let (first, second) = try await scene.run { transaction in
            let later = transaction.now.adding(seconds: 1)
            return (try transaction.db.probes.delete(before: later, limit: 30), try transaction.db.probes.delete(before: later, limit: 30))
        }
        // Fifty hashes of the member are kept, and the probe of the contact.
        #expect(first == 30 && second == 21)
        #expect(try await scene.count("received_probes") == 0)
        try await scene.close()
    }
}
