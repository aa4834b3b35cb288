import ChatAPI
import ChatProtocol
import ChatSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine

/// Names that are kept with contacts and channels, and the commands about them.
@Suite struct StoredNameTests {
    private let scene = NameScene()

    private func plan(_ target: String, _ core: TestCore, _ options: String = "") async -> JSONValue {
        await core.answer("/_connect plan 1 \(target)\(options)")
    }

    private func error(_ answer: JSONValue) -> JSONValue? { answer["chatError"]?["errorType"] }

    /// Two people who are connected: bob by ann's name or link.
    private func connect(_ ann: TestCore, _ bob: TestCore, by target: String) async throws {
        _ = try await bob.run("/c \(target)")
        let isAsked = await ann.wait { events in events.contains { if case .receivedContactRequest = $0 { true } else { false } } }
        try #require(isAsked)
        _ = try await ann.run("/ac bob")
        let isThere = await bob.wait { events in events.contains { if case .contactConnected = $0 { true } else { false } } }
        try #require(isThere)
    }

    @Test func aContactIsKnownByTheNameThatLedToIt() async throws {
        let ann = try await scene.open("ann", claiming: "ann.simplex"), bob = try await scene.open("bob")
        try scene.simulator.register(name: "ann.simplex", contacts: [try await scene.address(of: ann)])
        #expect(await error(plan("@ann.simplex", bob, " resolve=never"))?["type"] == "notResolvedLocally")
        try await connect(ann, bob, by: "@ann.simplex")
        // Nobody is asked, though the name is not registered any more.
        scene.simulator.unregister(name: "ann.simplex")
        for options in ["", " resolve=never", " resolve=allGroups"] {
            let answer = await plan("@ann.simplex", bob, options)
            let known = answer["connectionPlan"]?["contactAddressPlan"]
            #expect(known?["type"] == "known" && known?["contact"]?["profile"]?["contactDomainVerified"] == true, "\(answer.text)")
            #expect(answer["planSimplexName"]?["nameDomain"]?["domain"] == "ann")
        }
        let old = try await bob.answer("/contacts", for: .v65)
        #expect(old["contacts"]?.arrayValue?.first?["profile"]?["contactDomainVerified"] == nil)

        // A name that the contact does not claim any more is not its name.
        _ = try await ann.run("/_set domain 1")
        let isUpdated = await bob.wait { events in events.contains { if case .contactUpdated = $0 { true } else { false } } }
        #expect(isUpdated)
        #expect(await error(plan("@ann.simplex", bob, " resolve=never"))?["type"] == "notResolvedLocally")
        for core in [ann, bob] { await core.close() }
    }

    @Test func aContactIsKnownByItsNameAlsoIfItsLinkCameFirst() async throws {
        let ann = try await scene.open("ann"), bob = try await scene.open("bob")
        let link = try await scene.address(of: ann)
        try await connect(ann, bob, by: link)
        try scene.simulator.register(name: "ann.simplex", contacts: [link])
        _ = try await ann.run("/_set domain 1 ann.simplex")
        let isTold = await bob.eventually {
            let contacts = await bob.answer("/contacts")["contacts"]?.arrayValue
            return contacts?.first?["profile"]?["contactDomain"]?["domain"] == "ann.simplex"
        }
        #expect(isTold)
        let contact = try #require(await bob.answer("/contacts")["contacts"]?.arrayValue?.first)
        #expect(contact["profile"]?["contactDomainVerified"] == nil, "a claim is no proof")
        let id = try #require(contact["contactId"]).text
        let verified = await bob.answer("/_verify domain @\(id)")
        #expect(verified["type"] == "contactDomainVerified" && verified["verificationFailure"] == nil, "\(verified.text)")
        #expect(verified["contact"]?["profile"]?["contactDomainVerified"] == true)
        // The name leads to somebody else now.
        try scene.simulator.register(name: "ann.simplex", contacts: [])
        let failed = await bob.answer("/_verify domain @\(id)")
        #expect(failed["verificationFailure"] == "the name does not resolve to this address")
        #expect(failed["contact"]?["profile"]?["contactDomainVerified"] == false)
        for core in [ann, bob] { await core.close() }
    }

    @Test func aProfileClaimsOnlyANameThatLeadsToItsAddress() async throws {
        let ann = try await scene.open("ann"), bob = try await scene.open("bob")
        #expect(await ann.answer("/_set domain 1 ann.simplex")["chatError"]?["storeError"]?["type"] == "userContactLinkNotFound")
        let link = try await scene.address(of: ann)
        #expect(await ann.answer("/_set domain 1 ann.simplex")["chatError"]?["agentError"]?["smpErr"]?["nameErr"]?["type"] == "NOT_FOUND")
        try scene.simulator.register(name: "ann.simplex", contacts: [try await scene.address(of: bob)], channels: [link])
        let refused = await error(ann.answer("/_set domain 1 ann.simplex"))
        #expect(refused?["type"] == "simplexDomainNotReady" && refused?["simplexDomainError"]?["type"] == "noValidLink")
        #expect(await error(ann.answer("/_set domain 1 ann"))?["type"] == "commandError")
        #expect(await ann.answer("/_set domain 1")["type"] == "userProfileNoChange")

        try scene.simulator.register(name: "ann.simplex", contacts: [link])
        let answer = await ann.answer("/_set domain 1 ANN.simplex")
        #expect(answer["type"] == "userProfileUpdated", "\(answer.text)")
        #expect(answer["toProfile"]?["contactDomain"]?["domain"] == "ann.simplex" && answer["toProfile"]?["contactLink"]?.stringValue == link)
        #expect(await ann.answer("/_set domain 1 ann.simplex")["type"] == "userProfileNoChange")
        #expect(await plan("@ann.simplex", ann, " resolve=never")["connectionPlan"]?["contactAddressPlan"]?["type"] == "ownLink")
        // The data behind the address claim it too.
        #expect(await plan("@ann.simplex", bob)["connectionPlan"]?["contactAddressPlan"]?["type"] == "ok")
        for core in [ann, bob] { await core.close() }
    }

    @Test func aChannelIsJoinedAndKnownByItsName() async throws {
        let owner = try await scene.open("owner"), relay = try await scene.open("relay", isRelay: true), bob = try await scene.open("bob")
        let link = try await scene.channel("news", owner: owner, relay: relay)
        let unknown = await owner.answer("/public group access #news domain=news.simplex")
        #expect(unknown["chatError"]?["agentError"]?["smpErr"]?["nameErr"]?["type"] == "NOT_FOUND", "\(unknown.text)")
        try scene.simulator.register(name: "news.simplex", channels: [link])
        let answer = await owner.answer("/public group access #news web=https://news.example domain=news.simplex")
        #expect(answer["type"] == "groupUpdated", "\(answer.text)")
        let access = answer["toGroup"]?["groupProfile"]?["publicGroup"]?["publicGroupAccess"]
        #expect(access?["groupDomainClaim"] == ["domain": "news.simplex"] && access?["groupWebPage"] == "https://news.example")
        #expect(access?["domainWebPage"] == false && answer["toGroup"]?["groupDomainVerified"] == true)
        #expect(await plan("#news", owner, " resolve=never")["connectionPlan"]?["groupLinkPlan"]?["type"] == "ownLink")

        #expect(await error(plan("#news", bob, " resolve=never"))?["type"] == "notResolvedLocally")
        let joined = await bob.answer("/c #news")
        #expect(joined["type"] == "startedConnectionToGroup" && joined["groupInfo"]?["groupDomainVerified"] == true, "\(joined.text)")
        let isJoined = await bob.wait { events in events.contains { if case .userJoinedGroup = $0 { true } else { false } } }
        #expect(isJoined)
        _ = try await owner.run(#"/_send #1(as_group=on) json [{"msgContent":{"type":"text","text":"hello"}}]"#)
        let hasCome = await bob.wait { events in
            events.contains { if case .newChatItems(_, let items) = $0 { items.contains { $0.chatItem.meta.text == "hello" } } else { false } }
        }
        #expect(hasCome, "what is posted comes")

        // Nobody is asked, though the name is not registered any more.
        scene.simulator.unregister(name: "news.simplex")
        let known = await plan("#news", bob)
        #expect(known["connectionPlan"]?["groupLinkPlan"]?["type"] == "known" && known["planSimplexName"]?["nameType"] == "publicGroup", "\(known.text)")
        // Unless groups are to be looked up again.
        #expect(await plan("#news", bob, " resolve=allGroups")["chatError"]?["agentError"]?["smpErr"]?["nameErr"]?["type"] == "NOT_FOUND")
        try scene.simulator.register(name: "news.simplex", channels: [])
        let failed = await bob.answer("/_verify domain #1")
        #expect(failed["verificationFailure"] == "the name does not resolve to the link in the group profile")
        #expect(failed["groupInfo"]?["groupDomainVerified"] == false)
        #expect(try await bob.answer("/_info #1", for: .v65)["groupInfo"]?["groupDomainVerified"] == nil)
        for core in [owner, relay, bob] { await core.close() }
    }

    @Test func aNameWithoutASignIsThatOfTheChannelAndOffersTheContact() async throws {
        let owner = try await scene.open("owner", claiming: "team.simplex"), relay = try await scene.open("relay", isRelay: true)
        let bob = try await scene.open("bob")
        let channel = try await scene.channel("team", owner: owner, relay: relay), contact = try await scene.address(of: owner)
        try scene.simulator.register(name: "team.simplex", contacts: [contact], channels: [channel])
        // The channel does not claim the name yet.
        var answer = await plan("team.simplex", bob)
        #expect(answer["connectionPlan"]?["contactAddressPlan"]?["type"] == "ok", "\(answer.text)")
        #expect(answer["planSimplexName"]?["nameType"] == "contact" && answer["otherSimplexName"]?["nameType"] == "publicGroup")
        _ = try await owner.run("/public group access #team domain=team.simplex")
        answer = await plan("team.simplex", bob)
        #expect(answer["connectionPlan"]?["groupLinkPlan"]?["type"] == "ok", "\(answer.text)")
        #expect(answer["planSimplexName"]?["nameType"] == "publicGroup" && answer["otherSimplexName"]?["nameType"] == "contact")
        #expect(await plan("#team", bob)["otherSimplexName"] == nil, "the sign says what is meant")
        #expect(await error(plan("team.simplex", bob, " resolve=never"))?["type"] == "notResolvedLocally")
        try scene.simulator.register(name: "team.simplex")
        #expect(await error(plan("team.simplex", bob))?["simplexDomainError"]?["type"] == "noValidLink")
        for core in [owner, relay, bob] { await core.close() }
    }

    @Test func aProgramThatPreparesAChatKeepsTheNameThatItResolved() async throws {
        let ann = try await scene.open("ann", claiming: "ann.simplex"), bob = try await scene.open("bob")
        let link = try await scene.address(of: ann)
        guard case .connectionPlan(_, let shown, _, _, .contactAddress(.ok(let data?, _))) = try await bob.run("/_connect plan 1 \(link)") else {
            throw UnexpectedAnswer()
        }
        let refused = await error(bob.answer("/_prepare contact 1 \(shown.fullLink) \(link) domain=bob.simplex \(data.jsonText)"))
        #expect(refused?["simplexDomainError"]?["type"] == "unknownDomain")
        let prepared = await bob.answer("/_prepare contact 1 \(shown.fullLink) \(link) domain=ann.simplex \(data.jsonText)")
        #expect(prepared["chat"]?["chatInfo"]?["contact"]?["profile"]?["contactDomainVerified"] == true, "\(prepared.text)")
        #expect(await plan("@ann.simplex", bob, " resolve=never")["connectionPlan"]?["contactAddressPlan"]?["type"] == "known")
        // The chat that waits is connected by the name.
        try scene.simulator.register(name: "ann.simplex", contacts: [link])
        #expect(await bob.answer("/c @ann.simplex")["type"] == "startedConnectionToContact")
        for core in [ann, bob] { await core.close() }
    }

    @Test func theChatWithABusinessIsKnownByTheNameOfTheBusiness() async throws {
        let shop = try await scene.open("shop", claiming: "shop.simplex"), bob = try await scene.open("bob")
        let link = try await scene.address(of: shop)
        _ = try await shop.run("/auto_accept on business")
        try scene.simulator.register(name: "shop.simplex", contacts: [link])
        #expect(await bob.answer("/c @shop.simplex")["type"] == "startedConnectionToGroup")
        let answer = await plan("@shop.simplex", bob, " resolve=never")
        let group = answer["connectionPlan"]?["groupLinkPlan"]?["groupInfo"]
        #expect(group?["businessChat"]?["businessDomain"]?["domain"] == "shop.simplex" && group?["groupDomainVerified"] == true, "\(answer.text)")
        for core in [shop, bob] { await core.close() }
    }
}
