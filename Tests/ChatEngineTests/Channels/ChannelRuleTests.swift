import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// The rules of channels, each by itself: what a relay may say to a subscriber, an owner to a relay, and a subscriber to both.
@Suite struct ChannelRuleTests {
    private static let channel = ChatReference.group(RuleScene.group)
    private static let post = SharedMessageID(Bytes(repeating: 7, count: 12))
    private static let stranger = MemberID(Bytes(repeating: 9, count: 12))

    /// A channel as one of its members has it.
    private struct Channel {
        let rule: RuleScene
        let members: [String: GroupMemberID]
        /// The keys of the channel and of its owner.
        let root, owner: Ed25519.PrivateKey

        init(as role: GroupMemberRole, _ preferences: @escaping @Sendable (inout GroupPreferences) -> Void = { _ in }) async throws {
            rule = try await RuleScene()
            members = try await rule.addGroup(as: role, with: ["relay": .relay, "owner": .owner, "ann": .observer, "mod": .moderator], preferences)
            try await rule.updateApps()
            let root = Ed25519.generateKeyPair(SystemRandomSource()), owner = Ed25519.generateKeyPair(SystemRandomSource())
            let own = Ed25519.generateKeyPair(SystemRandomSource())
            (self.root, self.owner) = (root.privateKey, owner.privateKey)
            let ids = members
            try await rule.run { transaction in
                let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
                var profile = group.groupProfile
                profile.publicGroup = PublicGroupProfile(
                    groupType: .channel, groupLink: "https://relay.example/c#x", publicGroupID: Base64URLBytes(Hash.sha256(root.publicKey.raw)))
                try transaction.db.groups.update(group, user: user.userID, profile: profile, at: transaction.now)
                try transaction.db.groups.update(
                    group.groupID, usesRelays: true, ownStatus: role == .relay ? .accepted : nil, publicMemberCount: role == .owner ? 3 : nil)
                try transaction.db.groups.update(group.groupID, rootKey: root.publicKey, memberKey: own.privateKey)
                try transaction.db.members.update(try #require(ids["owner"]), publicKey: owner.publicKey)
                // A subscriber is connected to relays only, which it has found by the link.
                guard role != .relay else { return }
                for (name, id) in ids {
                    let category: GroupMemberCategory = name == "relay" ? .host : .pre
                    try transaction.db.members.update(id, category: category, invitedBy: nil, versions: ChatVersionRange(ChatVersions.supported))
                }
            }
        }

        func id(_ name: String) throws -> GroupMemberID { try #require(members[name]) }

        func memberID(_ name: String) async throws -> MemberID {
            let id = try id(name)
            return try await rule.run { try #require(try $0.db.members.memberIdentifier(id)) }
        }

        func receive(_ event: ChatMessageEvent, from name: String, id: SharedMessageID? = nil) async throws -> [ChatEvent] {
            try await rule.receive([event], from: .member(try self.id(name)), id: id).events
        }

        /// Passes on a message of a member, or of the channel, as a relay does.
        func pass(_ event: ChatMessageEvent, of sender: MessageForward.Sender = .channel, id: SharedMessageID? = nil) async throws -> [ChatEvent] {
            let inner = ChatMessage(messageID: id ?? .random(), event: event)
            let forward = MessageForward(sender: sender, brokerTimestamp: MemoryStore.now)
            return try await rule.receive([.forwardMessage(forward, inner)], from: .member(try self.id("relay"))).events
        }

        func change(_ body: @escaping @Sendable (ChatTransaction) throws -> Void) async throws { try await rule.run(body) }

        func close() async throws { try await rule.close() }
    }

    private func text(_ text: String, asGroup: Bool? = nil) -> ChatMessageEvent { .newMessage(MessageContainer(content: .text(text), asGroup: asGroup)) }

    private func info(_ id: MemberID, _ role: GroupMemberRole, key: Ed25519.PublicKey? = nil) -> MemberInfo {
        MemberInfo(memberID: id, role: role, versions: ChatVersions.supported, profile: Profile(displayName: "introduced", fullName: ""), key: key)
    }

    // MARK: As a subscriber

    @Test func aRelayIntroducesMembersButNoOwnersAndNoRelaysAndChangesNoRelay() async throws {
        let channel = try await Channel(as: .observer)
        for (number, role, expected) in [
            (UInt8(1), GroupMemberRole.moderator, GroupMemberRole.observer), (2, .owner, .observer), (3, .relay, .observer), (4, .observer, .observer),
        ] {
            let id = MemberID([number])
            _ = try await channel.receive(.introduceMember(info(id, role), restrictions: nil), from: "relay")
            let member = try await channel.rule.run { try #require(try $0.db.members.find(id, group: RuleScene.group)) }
            #expect(member.role == expected && member.status == .introduced, "introduced as \(role)")
        }
        let relay = try await channel.memberID("relay")
        let told = try await channel.receive(.introduceMember(info(relay, .observer), restrictions: nil), from: "relay")
        let known = try await channel.rule.member(try channel.id("relay"))
        #expect(told.isEmpty && known.role == .relay && known.profile.displayName == "relay")
        let refused = try await channel.receive(.introduceMember(info(Self.stranger, .observer), restrictions: nil), from: "mod")
        #expect(refused.messageErrors == ["x.grp.mem.intro can be only sent by host member"])
        try await channel.close()
    }

    @Test func theOwnKeyIsNotTakenFromALinkNorIsAnotherOwnerMissed() async throws {
        let channel = try await Channel(as: .observer)
        let own = try await channel.rule.group().membership
        let other = Ed25519.generateKeyPair(SystemRandomSource()).publicKey
        let root = channel.root
        try await channel.change { transaction in
            let group = try transaction.conversations.group(RuleScene.group, of: try transaction.user())
            let owners = [own.memberID, Self.stranger].map { LinkOwner(id: $0.bytes, key: other, authorizedBy: root) }
            try transaction.channels.addOwners(owners, contact: nil, to: group, of: try transaction.user())
        }
        let after = try await channel.rule.group().membership
        #expect(after.publicKey == own.publicKey && after.role == .observer)
        let added = try await channel.rule.run { try #require(try $0.db.members.find(Self.stranger, group: RuleScene.group)) }
        #expect(added.role == .owner && added.status == .unknown && added.signingKey == other)
        try await channel.close()
    }

    @Test(
        arguments: [
            (GroupMemberRole.observer, GroupMemberRole.observer), (.commenter, .commenter), (.author, .author), (.member, .member),
            (.moderator, .observer), (.admin, .observer), (.owner, .observer), (.relay, .observer),
        ])
    func aRelayTakesASubscriberWithNoRoleThatGoverns(_ given: GroupMemberRole, _ taken: GroupMemberRole) async throws {
        let channel = try await Channel(as: .observer)
        let relay = try channel.id("relay")
        for isConnected in [false, true] {
            try await channel.change { transaction in
                let user = try transaction.user()
                let before = try transaction.conversations.group(RuleScene.group, of: user)
                try transaction.db.members.update(before.membership.groupMemberID, role: .observer, at: transaction.now)
                try transaction.db.members.update(before.membership.groupMemberID, status: isConnected ? .connected : .unknown, at: transaction.now)
                let group = try transaction.conversations.group(RuleScene.group, of: user)
                let invitation = GroupLinkInvitation(
                    fromMember: MemberIDRole(memberID: MemberID([1]), role: .owner), fromMemberName: "relay",
                    invitedMember: MemberIDRole(memberID: MemberID([2]), role: given), groupProfile: group.groupProfile, accepted: .accepted, groupSize: nil)
                let (joined, _) = try transaction.channels.completeSubscription(
                    group, relay: try transaction.conversations.member(relay, in: group), invitation, of: user)
                #expect(joined.membership.role == (isConnected ? .observer : taken))
                #expect(joined.membership.memberID == group.membership.memberID && joined.membership.status == (isConnected ? .connected : .accepted))
            }
        }
        try await channel.close()
    }

    @Test func whatComesInTheNameOfTheChannelIsWhatAChannelSays() async throws {
        let channel = try await Channel(as: .observer)
        #expect(try await channel.pass(text("post"), id: Self.post).types == ["newChatItems"])
        #expect(try await channel.rule.messages(in: Self.channel).map(\.direction) == [.channelReceived])
        let comment = MessageContainer(
            content: .text("comment"), parent: MessageReference(messageID: Self.post, sentAt: MemoryStore.now, sent: false, memberID: nil))
        #expect(try await channel.pass(.newMessage(comment)).messageErrors == ["a comment requires an author"])
        for event in [ChatMessageEvent.deleteGroup, .leaveGroup, .memberRole(memberID: Self.stranger, .owner), .info(Profile(displayName: "x", fullName: ""))] {
            #expect(try await channel.pass(event).messageErrors == ["x.grp.msg.forward: event \(event.tag.rawValue) requires author"])
        }
        #expect(try await channel.rule.texts(in: Self.channel) == ["post"])
        #expect(try await channel.rule.group().membership.status == .creator)
        try await channel.close()
    }

    @Test func aSubscriberPassesOnNothing() async throws {
        let channel = try await Channel(as: .observer)
        let forward = MessageForward(sender: .channel, brokerTimestamp: MemoryStore.now)
        let event = ChatMessageEvent.forwardMessage(forward, ChatMessage(messageID: Self.post, event: text("forged")))
        for name in ["ann", "mod", "owner"] {
            let codes = try await channel.receive(event, from: name).compactMap { if case .chatError(let error) = $0 { Refusal(error).code } else { nil } }
            #expect(codes == ["groupContactRole"], "\(name)")
        }
        #expect(try await channel.rule.texts(in: Self.channel).isEmpty)
        try await channel.close()
    }

    @Test(arguments: [(true, false), (false, true)])
    func aSharedLinkIsSignedByItsOwnerForTheChatThatItIsSharedIn(isForHere: Bool, isDropped: Bool) async throws {
        let channel = try await Channel(as: .observer)
        let group = try await channel.rule.group(), profile = try #require(group.groupProfile.publicGroup)
        let id = isForHere ? profile.publicGroupID.bytes : Bytes(repeating: 1, count: 32)
        let signature = LinkOwnerSignature(sharing: [1, 2, 3], in: .channel(publicGroupID: id), ownerID: Base64URLBytes([1]), with: channel.owner)
        let content = MessageContent.chat(text: "x", link: .group(link: "https://x", profile: group.groupProfile), ownerSignature: signature)
        _ = try await channel.pass(.newMessage(MessageContainer(content: content)))
        guard case .chat(_, _, let shown)? = try await channel.rule.messages(in: Self.channel).first?.content.message?.kind else { throw UnexpectedAnswer() }
        #expect((shown == nil) == isDropped)
        // Of one who writes under its own name, the chat is another.
        let own = content.checkingOwnerSignature(by: try await channel.rule.member(try channel.id("owner")), in: group)
        guard case .chat(_, _, nil) = own.kind else { throw UnexpectedAnswer() }
        try await channel.close()
    }

    // MARK: As a relay

    @Test func anOwnerWhoIsBlockedForAllPostsNothing() async throws {
        let channel = try await Channel(as: .relay)
        let owner = try channel.id("owner")
        _ = try await channel.receive(text("before", asGroup: true), from: "owner")
        #expect(try await channel.rule.count("relay_tasks") == 1)
        try await channel.change { try $0.db.members.update(owner, isBlocked: true, at: $0.now) }
        _ = try await channel.receive(text("after", asGroup: true), from: "owner")
        #expect(try await channel.rule.count("relay_tasks") == 1)
        #expect(try await channel.rule.messages(in: Self.channel).map { $0.meta.deleted == nil } == [true, false])
        try await channel.close()
    }

    @Test func onlyAnOwnerDeletesWhatTheChannelSays() async throws {
        let channel = try await Channel(as: .relay)
        let deletion = ChatMessageEvent.deleteMessage(MessageDeletion(messageID: Self.post))
        _ = try await channel.receive(text("post", asGroup: true), from: "owner", id: Self.post)
        for name in ["ann", "mod"] {
            #expect(try await channel.receive(deletion, from: name).messageErrors == ["x.msg.del: invalid channel message delete"], "\(name)")
        }
        #expect(try await channel.rule.messages(in: Self.channel).allSatisfy { $0.meta.deleted == nil })
        #expect(try await channel.receive(deletion, from: "owner").types == ["chatItemsDeleted"])
        #expect(try await channel.rule.messages(in: Self.channel).allSatisfy { $0.meta.deleted != nil })
        try await channel.close()
    }

    @Test func whatIsTakenOutOfTheHistoryStaysWithThoseWhoHaveIt() async throws {
        let channel = try await Channel(as: .relay)
        let deletion = ChatMessageEvent.deleteMessage(MessageDeletion(messageID: Self.post, onlyHistory: true))
        _ = try await channel.receive(text("post", asGroup: true), from: "owner", id: Self.post)
        #expect(try await channel.rule.count("relay_tasks") == 1)
        for name in ["ann", "mod"] {
            #expect(try await channel.receive(deletion, from: name).messageErrors == ["x.msg.del: invalid channel message delete"], "\(name)")
        }
        #expect(try await channel.receive(deletion, from: "owner").types == ["chatItemsDeleted"])
        #expect(try await channel.rule.messages(in: Self.channel).allSatisfy { $0.meta.deleted != nil })
        #expect(try await channel.rule.count("relay_tasks") == 1, "subscribers are not told of it")
        try await channel.close()
    }

    @Test func anOwnerTakesAPostOutOfTheHistoryAndRemovesNoneOnlyHere() async throws {
        let channel = try await Channel(as: .owner)
        let post = try await channel.rule.send("post", to: Self.channel)
        let refusal = try await channel.rule.refusal { try $0.sentMessages.delete([post.id], of: Self.channel, .internal) }
        #expect(refusal == "invalidChatItemDelete")
        let (_, effects) = try await channel.rule.memory.run { try $0.sentMessages.delete([post.id], of: Self.channel, .history) }
        let shared = try #require(post.meta.sharedMessageID)
        #expect(!effects.sent.isEmpty && effects.sent.allSatisfy { $0 == .deleteMessage(MessageDeletion(messageID: shared, onlyHistory: true)) })
        #expect(try await channel.rule.messages(in: Self.channel).allSatisfy { $0.meta.deleted != nil })
        try await channel.close()
        // Only channels have such a history.
        let scene = try await RuleScene()
        try await scene.addGroup()
        let item = try await scene.send("text", to: .group(RuleScene.group))
        #expect(try await scene.refusal { try $0.sentMessages.delete([item.id], of: .group(RuleScene.group), .history) } == "invalidChatItemDelete")
        #expect(try await scene.refusal { try $0.sentMessages.delete([item.id], of: .group(RuleScene.group), .internal) } == nil)
        try await scene.close()
    }

    @Test func whenTheChannelIsDeletedNothingElseIsPassedOn() async throws {
        let channel = try await Channel(as: .relay)
        for text in ["one", "two"] { _ = try await channel.receive(self.text(text, asGroup: true), from: "owner") }
        #expect(try await channel.rule.count("relay_tasks") == 2)
        let binding = ChatBinding.group(
            publicGroupID: try #require(try await channel.rule.group().groupProfile.publicGroup).publicGroupID.bytes,
            member: try await channel.memberID("owner"))
        let unsigned = try await channel.receive(.deleteGroup, from: "owner")
        #expect(unsigned.types == ["newChatItems"], "a deletion without a signature is shown as that")
        #expect(try await channel.rule.count("relay_tasks") == 2)
        let signed = SignedMessage(signing: ChatMessage(messageID: .random(), event: .deleteGroup).body, in: binding, with: channel.owner).element
        let effects = try await channel.rule.effects(ofBody: MessageBatching.binaryBatch(of: [signed]), from: .member(try channel.id("owner")))
        #expect(effects.events.types.contains("groupDeleted"))
        #expect(try await channel.rule.count("relay_tasks WHERE ends_service = 1") == 1)
        #expect(try await channel.rule.count("relay_tasks") == 1)
        try await channel.close()
    }

    @Test func aProfileThatIsNoRelayTakesNoInvitationToBeOneNorATest() async throws {
        let scene = try await RuleScene()
        let contact = try await scene.addContact("owner")
        let invitation = GroupRelayInvitation(
            fromMember: MemberIDRole(memberID: MemberID([1]), role: .owner), fromMemberProfile: Profile(displayName: "owner", fullName: ""),
            relayMemberID: MemberID([2]), groupLink: "https://x")
        for (isRelay, role, relay, error) in [
            (false, GroupMemberRole.owner, UInt8(2), "x.grp.relay.inv: not a relay"), (true, .admin, 2, "x.grp.relay.inv: not an owner"),
            (true, .owner, 1, "x.grp.relay.inv: not an owner"), (true, .owner, 2, nil), (true, .owner, 2, nil),
        ] as [(Bool, GroupMemberRole, UInt8, String?)] {
            var asked = invitation
            (asked.fromMember.role, asked.relayMemberID) = (role, MemberID([relay]))
            let request = asked
            let effects = try await scene.memory.run { transaction in
                try transaction.db.run("UPDATE users SET chat_relay = ?", [isRelay])
                let record = try #require(try transaction.db.connections.connections(ofContact: contact).last)
                let context = ReceivingContext(record: record, user: try transaction.user(), contact: nil)
                try transaction.relayRequests.receive(request, InvitationID([8]), versions: ChatVersions.supported, in: context)
            }.1
            #expect(effects.events.messageErrors == [error].compactMap(\.self))
        }
        #expect(try await scene.count("groups") == 1, "the same invitation again is one")
        #expect(try await scene.count("agent_work") == 1)
        try await scene.close()
    }

    // MARK: Signatures

    @Test(
        arguments: [
            (ChatEventTag.leaveGroup, GroupMemberRole.observer, GroupMemberRole.observer, true), (.info, .observer, .observer, true),
            (.leaveGroup, .observer, .moderator, false), (.leaveGroup, .moderator, .observer, false), (.info, .owner, .observer, false),
            (.deleteGroup, .observer, .observer, false), (.memberRole, .observer, .observer, false),
        ])
    func ofOneWhoseKeyIsNotKnownOnlySubscribersTakeWhatConcernsItself(
        _ tag: ChatEventTag, _ own: GroupMemberRole, _ author: GroupMemberRole, _ isTaken: Bool
    ) async throws {
        let channel = try await Channel(as: own)
        var member = try await channel.rule.member(try channel.id("ann"))
        (member.role, member.publicKey) = (author, nil)
        let group = try await channel.rule.group()
        let binding = ChatBinding.group(publicGroupID: [1], member: member.memberID)
        let signed = SignedMessage(signing: Bytes("{}".utf8), in: binding, with: channel.owner)
        #expect(SignatureDecision(signed, tag, by: member, in: group) == (isTaken ? .accept(.signedNoKey) : .refuse))
        #expect(SignatureDecision(nil, tag, by: member, in: group) == .refuse, "without a signature none is taken")
        try await channel.close()
    }
}
