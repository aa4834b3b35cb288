import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// Customers who come by a business address: one chat for each, whatever comes again, and what apps of other versions are told.
@Suite struct BusinessChatTests {
    private static let tag = ContactRequestID(Bytes(repeating: 4, count: 16))
    private static let welcome = MessageContent.text("How can I help?")

    private func scene() async throws -> RuleScene {
        let scene = try await RuleScene()
        try await scene.run { transaction in
            let link = CreatedConnectionLink(fullLink: "simplex:/contact#x")
            let id = try transaction.db.addresses.insert(user: MemoryStore.user, link: link, linkKey: "x", hasLinkData: false, at: transaction.now)
            try transaction.db.addresses.update(
                id, settings: AddressSettings(isBusinessAddress: true, autoAccept: AutoAccept(acceptIncognito: false), autoReply: Self.welcome),
                at: transaction.now)
        }
        return scene
    }

    private func request(_ message: String? = nil, welcome: SharedMessageID? = nil) -> ContactRequest {
        ContactRequest(
            profile: Profile(displayName: "customer", fullName: ""), requestID: Self.tag, welcomeMessageID: welcome,
            message: message.map { ContactRequest.Message(messageID: .random(), content: .text($0)) })
    }

    private func receive(_ request: ContactRequest, as invitation: UInt8, in scene: RuleScene) async throws -> Effects {
        try await scene.memory.run { transaction in
            let user = try transaction.user()
            let address = try #require(try transaction.db.addresses.find(ofUser: user.userID))
            try transaction.businessChats.receive(
                InvitationID([invitation]), request, ChatMessage(event: .contact(request)), address: address, user: user)
        }.1
    }

    /// Connects the customer.
    private func connect(version: ChatVersion, in scene: RuleScene) async throws -> GroupMemberID {
        let id = try await scene.run { transaction in
            let user = try transaction.user()
            let group = try transaction.conversations.group(RuleScene.group, of: user)
            let customer = try #require(try transaction.db.members.members(of: group.groupID).first)
            try transaction.joinRequests.beginAcceptance(of: customer, by: [5], .admit(.accepted), in: group, user: user)
            let record = try #require(try transaction.db.connections.connections(ofMember: customer.groupMemberID).last)
            try transaction.db.connections.update(record.id, status: .ready, at: transaction.now)
            try transaction.db.connections.update(record.id, chatVersion: version, peerVersions: ChatVersionRange(minVersion: 1, maxVersion: Int(version)))
            return customer.groupMemberID
        }
        return id
    }

    @Test func aRequestOpensAChatOfThatCustomerWithTheWelcomeMessageAndItsQuestion() async throws {
        let scene = try await scene()
        let effects = try await receive(request("It is broken.", welcome: SharedMessageID([1])), as: 1, in: scene)
        #expect(effects.events.types.last == "acceptingBusinessRequest")
        let group = try await scene.group()
        #expect(group.groupProfile.displayName == "customer" && group.membership.role == .owner)
        #expect(group.businessChat?.chatType == .customer && group.businessChat?.businessID == group.membership.memberID)
        let customer = try #require(try await scene.run { try $0.db.members.members(of: RuleScene.group) }.first)
        #expect(customer.memberID == group.businessChat?.customerID && customer.role == .member && customer.status == .accepted)
        let texts = try await scene.texts(in: .group(RuleScene.group))
        #expect(texts == ["How can I help?", "It is broken."])
        #expect(try await scene.count("agent_work") == 1, "it is answered without being asked about")
        try await scene.close()
    }

    @Test func theSameRequestAgainIsOneChat() async throws {
        let scene = try await scene()
        _ = try await receive(request("one"), as: 1, in: scene)
        let repeated = try await receive(request("one"), as: 1, in: scene)
        #expect(repeated.events.isEmpty && repeated.jobs.isEmpty, "the event, after a crash")
        let again = try await receive(request("one"), as: 2, in: scene)
        #expect(again.events.types == ["businessRequestAlreadyAccepted"] && again.jobs.isEmpty, "the customer, whose app asks once more")
        #expect(try await scene.count("groups") == 1)
        #expect(try await scene.texts(in: .group(RuleScene.group)) == ["one"])
        // Somebody else of the same name has a chat of its own.
        var other = request("two")
        other.requestID = ContactRequestID(Bytes(repeating: 5, count: 16))
        _ = try await receive(other, as: 3, in: scene)
        let names = try await scene.run { try $0.db.groups.groups(user: MemoryStore.user, contact: nil, search: nil).map(\.localDisplayName) }
        #expect(Set(names).count == 2)
        try await scene.close()
    }

    @Test(arguments: [(ChatVersions.directBatching, true), (ChatVersions.directBatching - 1, false)])
    func theWelcomeMessageIsSentAsSoonAsTheAppTakesIt(_ version: ChatVersion, whenSecured: Bool) async throws {
        for isSecured in [true, false] {
            let scene = try await scene()
            _ = try await receive(request(), as: 1, in: scene)
            let customer = try await connect(version: version, in: scene)
            let effects = try await scene.memory.run { transaction in
                let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
                try transaction.businessChats.sendWelcome(
                    to: try transaction.conversations.member(customer, in: group), in: group, of: user, isSecured: isSecured)
            }.1
            let sends = isSecured == whenSecured
            #expect(effects.sent == (sends ? [.newMessage(MessageContainer(content: Self.welcome))] : []), "version \(version), \(isSecured)")
            #expect(try await scene.texts(in: .group(RuleScene.group)) == (sends ? ["How can I help?"] : []))
            try await scene.close()
        }
    }

    @Test func aWelcomeMessageThatTheCustomerHasSeenIsRepeatedUnderItsIDAndShownOnce() async throws {
        let scene = try await scene(), id = SharedMessageID([1])
        _ = try await receive(request(welcome: id), as: 1, in: scene)
        let customer = try await connect(version: ChatVersions.supported.max, in: scene)
        let effects = try await scene.memory.run { transaction in
            let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
            try transaction.businessChats.sendWelcome(to: try transaction.conversations.member(customer, in: group), in: group, of: user, isSecured: true)
        }.1
        #expect(effects.sent == [.updateMessage(MessageUpdate(messageID: id, content: Self.welcome))])
        #expect(try await scene.texts(in: .group(RuleScene.group)) == ["How can I help?"])
        try await scene.close()
    }

    @Test func ofChangedPreferencesOlderAppsAreToldTheWholeProfileUnderTheNameOfTheBusiness() async throws {
        for version in [ChatVersions.businessChatPreferences, ChatVersions.businessChatPreferences - 1] {
            let scene = try await scene()
            _ = try await receive(request(), as: 1, in: scene)
            _ = try await connect(version: version, in: scene)
            let effects = try await scene.memory.run { transaction in
                let user = try transaction.user(), group = try transaction.conversations.group(RuleScene.group, of: user)
                var profile = group.groupProfile
                var preferences = profile.groupPreferences ?? GroupPreferences()
                preferences.set(.voice, .off)
                profile.groupPreferences = preferences
                _ = try transaction.groups.update(group, to: profile, of: user)
            }.1
            switch effects.sent.first {
            case .groupPreferences(let preferences)?: #expect(version == ChatVersions.businessChatPreferences && preferences.voice?.enable == .off)
            case .groupInfo(let profile)?:
                #expect(version < ChatVersions.businessChatPreferences && profile.displayName == "alice", "the customer does not see its own name")
                #expect(profile.groupPreferences?.voice?.enable == .off)
            default: Issue.record("\(effects.sent.map(\.tag)) for version \(version)")
            }
            #expect(effects.sent.count == 1)
            #expect(try await scene.group().groupProfile.displayName == "customer")
            try await scene.close()
        }
    }

    @Test func theChatIsRenamedAsTheCustomerCallsItselfAndByNobodyElse() async throws {
        let scene = try await scene()
        _ = try await receive(request(), as: 1, in: scene)
        let customer = try await connect(version: ChatVersions.supported.max, in: scene)
        let told = try await scene.receive([.info(Profile(displayName: "new name", fullName: "", image: nil))], from: .member(customer))
        #expect(told.events.types.contains("groupUpdated"))
        #expect(try await scene.group().groupProfile.displayName == "new name")
        let colleague = try await scene.run { try $0.insertConnectedMember("colleague", role: .member, in: RuleScene.group) }
        try await scene.receive([.info(Profile(displayName: "the boss", fullName: ""))], from: .member(colleague))
        #expect(try await scene.group().groupProfile.displayName == "new name")
        try await scene.close()
    }
}
