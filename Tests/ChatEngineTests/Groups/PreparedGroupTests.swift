import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Groups that are shown before anybody is connected: to which profile they belong, what their links change, and which plan a link has.
@Suite struct PreparedGroupTests {
    private let link: FullLink

    init() throws {
        let server = try #require(SMPServerAddress(hosts: [.domain("smp.example.com")], keyHash: KeyHash(Bytes(repeating: 1, count: 32))))
        let key = X25519.generateKeyPair(SystemRandomSource()).publicKey
        let address = SMPQueueAddress(server: server, senderID: EntityID([1]), encryptionKey: key, mode: .contact)
        link = FullLink(.contact(ConnectionRequest(queues: [SMPQueueURI(address: address)])))
    }

    private func scene(isBusiness: Bool = false) async throws -> RuleScene {
        let scene = try await RuleScene()
        try await scene.run { transaction in
            let user = try transaction.user()
            if isBusiness {
                let data = ContactShortLinkData(profile: Profile(displayName: "shop", fullName: ""), business: true)
                _ = try transaction.preparedGroups.prepareBusinessChat(link.created, data, of: user)
            } else {
                _ = try transaction.preparedGroups.prepare(
                    link.created, isDirect: true, GroupShortLinkData(groupProfile: GroupProfile(displayName: "team", fullName: "")), user: user.userID)
            }
        }
        return scene
    }

    @Test func itMovesToAnotherProfileUntilItsHostIsAsked() async throws {
        let scene = try await scene()
        let other = try await scene.run { transaction in
            let other = try transaction.db.users.insert(
                NewUserRecord(
                    agentUserID: 2, profile: Profile(displayName: "work", fullName: ""), isChatRelay: false, createdAt: transaction.now))
            let host = try #require(try transaction.db.members.host(of: RuleScene.group))
            var record = NewConnectionRecord(
                userID: MemoryStore.user, agentConnectionID: [1], status: .prepared, chatVersion: ChatVersions.initial.max)
            record.memberID = host.groupMemberID
            _ = try transaction.db.connections.insert(record, at: transaction.now)
            return other
        }
        #expect(try await scene.refusal { try $0.groups.move(RuleScene.group, to: other) } == "host member already has connection")
        #expect(try await scene.group().membership.profile.displayName == "alice")
        try await scene.run { try $0.db.run("DELETE FROM connections WHERE group_member_id IS NOT NULL") }
        let moved = try await scene.run { transaction in
            guard case .groupUserChanged(_, _, let user, let group) = try transaction.groups.move(RuleScene.group, to: other) else {
                throw UnexpectedAnswer()
            }
            #expect(user.userID == other)
            return group
        }
        #expect(moved.membership.profile.displayName == "work" && moved.localDisplayName == "team")
        #expect(try await scene.refusal { _ = try $0.conversations.group(RuleScene.group, of: try $0.user()) } == "groupNotFound", "it is of the other profile")
        #expect(try await scene.count("display_names WHERE user_id = 1 AND base = 'team'") == 0, "the name is free")
        #expect(try await scene.count("group_members WHERE user_id = 1") == 0)
        try await scene.close()
    }

    @Test(arguments: [true, false])
    func itsLinkChangesItsProfileUnlessItIsTheChatWithABusiness(_ isBusiness: Bool) async throws {
        let scene = try await scene(isBusiness: isBusiness)
        let name = isBusiness ? "shop" : "team"
        for (data, isUpdate) in [(nil, false), (GroupProfile(displayName: "renamed", fullName: ""), !isBusiness)] as [(GroupProfile?, Bool)] {
            let (group, told) = try await scene.run { transaction in
                try transaction.preparedGroups.update(
                    RuleScene.group, fromLink: data.map { GroupShortLinkData(groupProfile: $0) }, of: try transaction.user())
            }
            #expect(told == isUpdate)
            #expect(group.groupProfile.displayName == (isUpdate ? "renamed" : name))
        }
        try await scene.close()
    }

    @Test(
        arguments: [
            (.unknown, "connectingProhibit"), (.accepted, "connectingProhibit"), (.pendingApproval, "known"), (.connected, "known"),
            (.rejected, "known"), (.left, "ok"), (.removed, "ok"), (.groupDeleted, "ok"),
        ] as [(GroupMemberStatus, String)])
    func whoIsOutCanJoinAgainAndWhoIsJoiningWaits(_ status: GroupMemberStatus, _ plan: String) async throws {
        let scene = try await scene()
        let found = try await scene.run { transaction in
            let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
            try transaction.db.members.update(own, status: status, at: transaction.now)
            return transaction.preparedGroups.plan(of: try transaction.conversations.group(RuleScene.group, of: try transaction.user()))
        }
        #expect(found.tag == plan)
        try await scene.close()
    }

    @Test(arguments: [(nil, "connectingConfirmReconnect"), (.joined, "connectingProhibit"), (.ready, "ok")] as [(ConnectionStatus?, String)])
    func aLinkThatAConnectionUsesIsNotJoinedTwice(_ status: ConnectionStatus?, _ plan: String) async throws {
        let scene = try await RuleScene()
        if let status {
            _ = try await scene.memory.addContact("host", 1, status: status)
        } else {
            try await scene.run { transaction in
                let record = NewConnectionRecord(
                    userID: MemoryStore.user, agentConnectionID: [1], status: .joined, chatVersion: ChatVersions.initial.max)
                _ = try transaction.db.connections.insert(record, at: transaction.now)
            }
        }
        let plans = try await scene.run { transaction in
            func plan() throws -> String {
                try transaction.preparedGroups.plan(link, linkInfo: nil, data: nil, owner: nil, user: try transaction.user()).tag
            }
            let before = try plan()
            try transaction.db.run("UPDATE connections SET link_key = ?", [link.key])
            return [before, try plan()]
        }
        #expect(plans == ["ok", plan])
        try await scene.close()
    }
}

extension GroupLinkPlan {
    /// The name of the case.
    fileprivate var tag: String {
        switch self {
        case .ok: "ok"
        case .ownLink: "ownLink"
        case .connectingConfirmReconnect: "connectingConfirmReconnect"
        case .connectingProhibit: "connectingProhibit"
        case .known: "known"
        default: "another"
        }
    }
}
