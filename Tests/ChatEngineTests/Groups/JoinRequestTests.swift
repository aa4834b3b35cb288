import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPCrypto
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Requests to join by the link of a group: which are taken, once each, and who decides about them.
@Suite struct JoinRequestTests {
    private static let queue = ConnectionID([6])
    private static let profile = Profile(displayName: "ann", fullName: "")

    /// A group of this profile with a link, whose queue requests come by.
    private func scene(as role: GroupMemberRole = .owner, link: GroupMemberRole = .member, admission: JoinerAdmission? = nil) async throws -> RuleScene {
        let scene = try await RuleScene()
        try await scene.addGroup(as: role)
        let id = try await scene.addLink(as: link)
        try await scene.run { transaction in
            var record = NewConnectionRecord(
                userID: MemoryStore.user, agentConnectionID: Self.queue.bytes, status: .new, chatVersion: ChatVersions.initial.max)
            record.groupLinkID = id
            _ = try transaction.db.connections.insert(record, at: transaction.now)
            try transaction.db.groupLinks.update(group: RuleScene.group, admission: admission)
        }
        return scene
    }

    private func ask(
        _ event: ChatMessageEvent = .contact(ContactRequest(profile: profile)), version: ChatVersion = ChatVersions.supported.max, as number: UInt8 = 1,
        in scene: RuleScene
    ) async throws -> Effects {
        let body = ChatMessage(versions: VersionRange(1...version), event: event).body
        return try await scene.memory.run { transaction in
            let request = AgentEvent.request(InvitationID([number]), pqSupport: false, servers: [], info: body)
            try transaction.incomingEvents.receive(Incoming(AgentNotification(connection: Self.queue, event: request)))
        }.1
    }

    /// The answers that are given to requests: `nil` for one that is rejected without a word.
    private func answers(_ effects: Effects) -> [JoinAnswer?] {
        effects.jobs.compactMap { job in
            switch job.task {
            case .group(.accept(_, _, let answer, _)): .some(answer)
            case .connection(.reject): .some(nil)
            default: nil
            }
        }
    }

    private func members(of scene: RuleScene) async throws -> [GroupMember] { try await scene.run { try $0.db.members.members(of: RuleScene.group) } }

    private static let refusing = JoinerAdmission(rules: [JoinerRule(decision: .reject(reason: .blockedName))])

    @Test(
        arguments: [
            (nil, ChatVersions.groupFastLinkJoin, JoinAnswer.admit(.accepted), nil),
            (nil, ChatVersions.groupFastLinkJoin - 1, nil, "chat version range incompatible for accepting group join request"),
            (refusing, ChatVersions.groupJoinRejection, .refuse(.blockedName), nil),
            (refusing, ChatVersions.groupJoinRejection - 1, nil, "a request to join is refused, and its client is too old to be told"),
        ] as [(JoinerAdmission?, ChatVersion, JoinAnswer?, String?)])
    func aRequestIsAnsweredIfTheAppThatAsksUnderstandsTheAnswer(
        _ admission: JoinerAdmission?, _ version: ChatVersion, _ answer: JoinAnswer?, _ error: String?
    ) async throws {
        let scene = try await scene(admission: admission)
        let effects = try await ask(version: version, in: scene)
        #expect(effects.events.messageErrors == [error].compactMap(\.self))
        #expect(answers(effects) == [answer], "what is not answered does not wait for an answer, either")
        #expect(try await members(of: scene).count == (answer == nil ? 0 : 1))
        try await scene.close()
    }

    @Test func aRequestThatComesAgainAfterACrashIsOneMember() async throws {
        let scene = try await scene(link: .observer)
        let first = try await ask(in: scene), again = try await ask(in: scene)
        #expect(answers(first) == [.admit(.accepted)] && again.jobs.isEmpty && again.events.isEmpty)
        let known = try #require(try await members(of: scene).first)
        #expect(known.role == .observer && known.status == .accepted && known.category == .invitee)
        // It is the same one in other words, too.
        let other = try await ask(.contact(ContactRequest(profile: Profile(displayName: "anna", fullName: ""))), in: scene)
        #expect(other.jobs.isEmpty && other.events.isEmpty)
        // Another request of one who calls itself the same is another member.
        _ = try await ask(as: 2, in: scene)
        let both = try await members(of: scene)
        #expect(both.map(\.localDisplayName) == ["ann", "ann_1"] && both[0].memberID != both[1].memberID)
        try await scene.close()
    }

    @Test func onlyRequestsForAGroupAreTakenByItsLink() async throws {
        let scene = try await scene()
        let subscriber = ChatMessageEvent.member(profile: Self.profile, memberID: MemberID([1]), key: Ed25519.generateKeyPair(SystemRandomSource()).publicKey)
        for (number, event, error) in [
            (UInt8(1), subscriber, "a request to join that is not for this kind of group"), (2, .leaveGroup, "unsupported message: x.grp.leave"),
            (3, .newMessage(MessageContainer(content: .text("let me in"))), "unsupported message: x.msg.new"),
        ] {
            let effects = try await ask(event, as: number, in: scene)
            #expect(effects.events.messageErrors == [error] && answers(effects) == [nil])
        }
        // Old clients send their profile only.
        #expect(answers(try await ask(.info(Self.profile), as: 4, in: scene)) == [.admit(.accepted)])
        #expect(try await members(of: scene).count == 1)
        try await scene.close()
    }

    @Test(arguments: [GroupMemberRole.moderator, .member, .observer, .unknown("chief")])
    func aHostWhoIsNoAdminAnyMoreLetsNobodyInUntilItIsOneAgain(_ role: GroupMemberRole) async throws {
        let scene = try await scene()
        func set(_ role: GroupMemberRole) async throws {
            try await scene.run { transaction in
                let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
                try transaction.db.members.update(own, role: role, at: transaction.now)
            }
        }
        try await set(role)
        let effects = try await ask(in: scene)
        #expect(effects.events.messageErrors == ["a request to join by the link of a group of which this profile is no admin any more"])
        #expect(answers(effects) == [nil] && effects.sent.isEmpty)
        #expect(try await members(of: scene).isEmpty)
        try await set(.admin)
        #expect(answers(try await ask(as: 2, in: scene)) == [.admit(.accepted)])
        try await scene.close()
    }

    @Test func aHostWhoIsOutLetsNobodyIn() async throws {
        for (number, status) in [GroupMemberStatus.left, .removed, .groupDeleted, .rejected].enumerated() {
            let scene = try await scene()
            try await scene.run { transaction in
                let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
                try transaction.db.members.update(own, status: status, at: transaction.now)
            }
            let effects = try await ask(as: UInt8(number + 1), in: scene)
            #expect(answers(effects) == [nil] && effects.events.isEmpty, "\(status.rawValue)")
            #expect(try await members(of: scene).isEmpty)
            try await scene.close()
        }
    }

    @Test func anAdministratorDecidesAboutTheLinkAndNobodyWhoIsNoneAnyMore() async throws {
        for (role, code) in [(GroupMemberRole.owner, nil), (.admin, nil), (.moderator, "groupUserRole"), (.member, "groupUserRole")]
            as [(GroupMemberRole, String?)]
        {
            let scene = try await scene(as: role)
            #expect(try await scene.refusal { try $0.groups.setAdmission(Self.refusing, of: RuleScene.group) } == code, "\(role)")
            #expect(try await scene.refusal { try $0.groups.setLinkRole(.observer, of: RuleScene.group) } == code, "\(role)")
            let link = try await scene.run { try $0.groups.link(of: try $0.conversations.group(RuleScene.group, of: try $0.user())) }
            #expect(link.acceptMemberRole == (code == nil ? .observer : .member) && (link.joinerAdmission == nil) == (code != nil))
            try await scene.close()
        }
    }

    @Test func rulesThatAreNoneChangeNothing() async throws {
        let scene = try await scene(admission: Self.refusing)
        let faulty = JoinerAdmission(rules: [JoinerRule(nameContains: [], decision: .accept(role: nil))])
        let fault = try #require(faulty.fault)
        #expect(try await scene.refusal { try $0.groups.setAdmission(faulty, of: RuleScene.group) } == fault)
        #expect(answers(try await ask(in: scene)) == [.refuse(.blockedName)])
        _ = try await scene.run { try $0.groups.setAdmission(nil, of: RuleScene.group) }
        #expect(answers(try await ask(as: 2, in: scene)) == [.admit(.accepted)])
        try await scene.close()
    }
}
