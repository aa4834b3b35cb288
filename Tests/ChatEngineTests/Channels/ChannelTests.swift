import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPSimulation
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Channels")
struct ChannelTests {
    @Test("posts of the owner reach all subscribers, in the name of the channel or of the owner")
    func posts() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await scene.post("from the channel")
        try await scene.post("from the owner", asGroup: false)
        for name in ["ann", "bob"] {
            let post = try await scene.item("from the channel", at: name), signed = try await scene.item("from the owner", at: name)
            #expect(post.direction == .channelReceived && post.meta.showGroupAsSender)
            #expect(signed.direction.author?.role == .owner)
            #expect(await scene.texts(at: name) == ["from the channel", "from the owner"])
        }
        #expect(try await scene.item("from the channel", at: "owner").direction == .groupSent)
        await scene.close()
    }

    @Test("somebody who subscribes later gets the history, with posts in the name of the channel")
    func history() async throws {
        let scene = try await ChannelScene(["ann"]) { owner in
            _ = try await owner.run(#"/_send #1(as_group=on) json [{"msgContent":{"type":"text","text":"before"}}]"#)
            _ = try await owner.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"mine"}}]"#)
        }
        #expect(try await scene.item("before", at: "ann").direction == .channelReceived)
        #expect(try await scene.item("mine", at: "ann").direction.author?.role == .owner)
        await scene.close()
    }

    @Test("with several relays each message is shown once, and goes on when a relay leaves")
    func severalRelays() async throws {
        let scene = try await ChannelScene(["ann", "bob"], relays: 2)
        // The second relay says nothing about when the subscriber was let in.
        let joined = scene["ann"].events.compactMap { if case .userJoinedGroup(_, let group, _) = $0 { group.membership.updatedAt } else { nil } }
        #expect(joined.count == 2 && Set(joined).count == 1)
        for number in 1...3 { try await scene.post("post \(number)") }
        for name in ["ann", "bob"] { await scene.expect("post 3", at: name) }
        _ = try await scene["relay"].run("/_leave #1")
        await scene.eventually("the owner knows that a relay has left", at: "owner") {
            await scene.members(at: "owner").contains { $0.role == .relay && $0.status == .left }
        }
        try await scene.post("last")
        for name in ["ann", "bob"] {
            await scene.expect("last", at: name)
            #expect(await scene.texts(at: name) == ["post 1", "post 2", "post 3", "last"])
        }
        await scene.close()
    }

    @Test("an edit, a deletion and a reaction reach the subscribers")
    func changes() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let first = try await scene.post("first"), second = try await scene.post("second", asGroup: false)
        let seen = try await scene.item("first", at: "ann")
        await scene.expect("second", at: "bob")
        _ = try await scene["owner"].run(#"/_update item #1 \#(first.meta.itemID) text first edited"#)
        for name in ["ann", "bob"] { await scene.expect("first edited", at: name) }
        _ = try await scene["ann"].run(##"/_reaction #1 \##(seen.meta.itemID) on {"type":"emoji","emoji":"👍"}"##)
        for name in ["owner", "bob"] {
            await scene.eventually("\(name) sees the reaction", at: name) {
                try await scene.item("first edited", at: name).reactions.first?.totalReacted == 1
            }
        }
        _ = try await scene["owner"].run("/_delete item #1 \(second.meta.itemID) broadcast")
        for name in ["ann", "bob"] {
            await scene.eventually("\(name) sees the deletion", at: name) {
                await scene.items(at: name).contains { $0.meta.text == "second" && $0.meta.deleted != nil }
            }
        }
        await scene.close()
    }

    @Test("the owner has a subscriber post, deletes the post, blocks and removes the subscriber")
    func moderation() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        let ann = try await scene.member("ann", at: "owner")
        let refused = await scene["ann"].answer(#"/_send #1 json [{"msgContent":{"type":"text","text":"no"}}]"#)
        #expect(refused["type"] == "chatCmdError")
        _ = try await scene["owner"].run("/_member role #1 \(ann.groupMemberID) member")
        await scene.eventually("ann may post", at: "ann") { try await scene.info(at: "ann").membership.role == .member }
        try await scene.post("hello", as: "ann", asGroup: false)
        let seen = try await scene.item("hello", at: "owner")
        await scene.expect("hello", at: "bob")
        _ = try await scene["owner"].run("/_delete member item #1 \(seen.meta.itemID)")
        await scene.eventually("bob sees the moderation", at: "bob") { try await scene.item("hello", at: "bob").meta.deleted != nil }
        _ = try await scene["owner"].run("/_block #1 \(ann.groupMemberID) blocked=on")
        await scene.eventually("bob sees that ann is blocked", at: "bob") {
            await scene.members(at: "bob").contains { $0.memberID == ann.memberID && $0.blockedByAdmin }
        }
        _ = try await scene["owner"].run("/_remove #1 \(ann.groupMemberID) messages=on")
        await scene.eventually("ann is removed", at: "ann") { try await scene.info(at: "ann").membership.status == .removed }
        try await scene.post("after")
        await scene.expect("after", at: "bob")
        #expect(await !scene.texts(at: "ann").contains("after"))
        await scene.close()
    }

    @Test("a change of the profile is signed, and its link shows it")
    func profile() async throws {
        let scene = try await ChannelScene(["ann"])
        guard
            case .groupUpdated(_, _, _, _, let isSigned) = try await scene["owner"].run(
                #"/_group_profile #1 {"displayName":"news","fullName":"","description":"daily",\#(ChannelScene.preferences)}"#)
        else { throw UnexpectedAnswer() }
        #expect(isSigned)
        await scene.eventually("ann sees the new profile", at: "ann") { try await scene.info(at: "ann").groupProfile.description == "daily" }
        #expect(try await scene.info(at: "ann").groupProfile.publicGroup == scene.info(at: "owner").groupProfile.publicGroup)
        let late = try await scene.world.open(agent: .light)
        _ = try await late.createUser("late")
        await scene.eventually("the link shows the new profile", at: "owner") {
            let plan = await late.answer("/_connect plan 1 \(scene.link.shortLink ?? "")")
            return plan["connectionPlan"]?["groupLinkPlan"]?["groupSLinkData_"]?["groupProfile"]?["description"] == "daily"
        }
        await late.close()
        await scene.close()
    }

    @Test("a subscriber who leaves is counted no more; the relay and the owner know")
    func leaving() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        await scene.eventually("both are counted", at: "owner") { try await scene.info(at: "owner").groupSummary.publicMemberCount == 3 }
        _ = try await scene["bob"].run("/_leave #1")
        await scene.eventually("one is counted", at: "owner") { try await scene.info(at: "owner").groupSummary.publicMemberCount == 2 }
        await scene.eventually("the relay knows", at: "relay") {
            await scene.members(at: "relay").contains { $0.localDisplayName == "bob" && $0.status == .left }
        }
        try await scene.post("still here")
        await scene.expect("still here", at: "ann")
        await scene.close()
    }

    @Test("when the last relay leaves, the link of the channel has none")
    func lastRelay() async throws {
        let scene = try await ChannelScene(["ann"])
        _ = try await scene["relay"].run("/_leave #1")
        await scene.eventually("the link shows no relays", at: "owner") {
            let late = await scene["owner"].answer("/_get relays #1")
            return late["groupRelays"]?.arrayValue?.first?["relayStatus"] != "active"
        }
        let late = try await scene.world.open(agent: .light)
        _ = try await late.createUser("late")
        let isEmpty = await late.eventually {
            await late.answer("/_connect plan 1 \(scene.link.shortLink ?? "")")["connectionPlan"]?["groupLinkPlan"]?["type"] == "noRelays"
        }
        #expect(isEmpty)
        await late.close()
        await scene.close()
    }

    @Test("a relay that the owner removes tells its subscribers, and those of other relays go on")
    func relayRemoval() async throws {
        let scene = try await ChannelScene(["ann"], relays: 2)
        let relay = try await scene.member("relay", at: "owner")
        _ = try await scene["owner"].run("/_remove #1 \(relay.groupMemberID) messages=off")
        await scene.eventually("the relay knows", at: "relay") { try await scene.info(at: "relay").membership.status == .removed }
        await scene.eventually("ann knows", at: "ann") {
            await scene.members(at: "ann").contains { $0.memberID == relay.memberID && $0.status == .removed }
        }
        try await scene.post("by the other relay")
        await scene.expect("by the other relay", at: "ann")
        #expect(await !scene.texts(at: "relay").contains("by the other relay"))
        let late = try await scene.world.open(agent: .light)
        _ = try await late.createUser("late")
        await scene.eventually("the link shows one relay", at: "owner") {
            let plan = await late.answer("/_connect plan 1 \(scene.link.shortLink ?? "")")
            return plan["connectionPlan"]?["groupLinkPlan"]?["groupSLinkInfo_"]?["groupRelays"]?.arrayValue?.count == 1
        }
        await late.close()
        await scene.close()
    }

    @Test("a subscriber writes to the owners, who answer, and nobody else sees it")
    func support() async throws {
        let scene = try await ChannelScene(
            ["ann", "bob"], preferences: #""groupPreferences":{"history":{"enable":"on"},"support":{"enable":"on"}}"#)
        _ = try await scene["ann"].run(##"/_send #1(_support) json [{"msgContent":{"type":"text","text":"help"}}]"##)
        let ann = try await scene.member("ann", at: "owner")
        @Sendable func texts(_ name: String, _ scope: String) async -> [String] {
            guard case .apiChat(_, let chat, _)? = try? await scene[name].run("/_get chat #1\(scope) count=50") else { return [] }
            return chat.chatItems.filter { $0.content.message != nil }.map(\.meta.text)
        }
        await scene.eventually("the owner sees it", at: "owner") { await texts("owner", "(_support:\(ann.groupMemberID))") == ["help"] }
        _ = try await scene["owner"].run(##"/_send #1(_support:\##(ann.groupMemberID)) json [{"msgContent":{"type":"text","text":"here"}}]"##)
        await scene.eventually("ann sees the answer", at: "ann") { await Set(texts("ann", "(_support)")) == ["help", "here"] }
        try await scene.post("for all")
        await scene.expect("for all", at: "bob")
        #expect(await scene.texts(at: "bob") == ["for all"])
        await scene.close()
    }

    @Test("the owner deletes the channel for all")
    func deletion() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        _ = try await scene["owner"].run("/_delete #1 full notify=on")
        for name in ["relay", "ann", "bob"] {
            await scene.eventually("\(name) knows that the channel is deleted", at: name) {
                try await scene.info(at: name).membership.status == .groupDeleted
            }
        }
        await scene.close()
    }

    @Test("a subscriber with a random profile is known by that one")
    func incognito() async throws {
        let scene = try await ChannelScene(["ann"])
        let carl = try await scene.world.open(agent: .light)
        _ = try await carl.createUser("carl")
        try await scene.subscribe(carl, incognito: true)
        await scene.eventually("the relay has two subscribers", at: "relay") {
            await scene.members(at: "relay").count(where: { $0.role == .observer && $0.status == .connected }) == 2
        }
        #expect(await !scene.members(at: "relay").contains { $0.localDisplayName == "carl" })
        await carl.close()
        await scene.close()
    }

    @Test("a relay takes as many channels and subscribers as its policy allows")
    func policy() async throws {
        var policy = RelayPolicy()
        // The relay, the owner and one subscriber.
        (policy.maximumChannels, policy.maximumMembers) = (1, 3)
        let scene = try await ChannelScene(["ann"], policy: policy)
        let late = try await scene.world.open(agent: .light)
        _ = try await late.createUser("late")
        try await scene.prepare(late)
        _ = try await late.run("/_connect group #1 incognito=off")
        try await TestSupport.eventually("the relay has refused the second subscriber") {
            try await scene["relay"].native.engine.store.read { try $0.jobs.waiting().isEmpty }
        }
        try await scene.post("for the first")
        await scene.expect("for the first", at: "ann")
        #expect(await scene.members(at: "relay").map(\.localDisplayName).sorted() == ["ann", "owner"])
        let command = "/_public group 1 1 {\"displayName\":\"more\",\"fullName\":\"\"}"
        guard case .publicGroupCreated = try await scene.owner.run(command) else { throw UnexpectedAnswer() }
        try await TestSupport.eventually("the relay has refused the second channel") {
            try await scene["relay"].native.engine.store.read { try $0.groups.groups(user: 1) }.contains { $0.relayOwnStatus == .rejected }
        }
        await late.close()
        await scene.close()
    }

    @Test("a relay that is invited to many channels at once takes no more than its policy allows, and keeps links of those only")
    func manyInvitations() async throws {
        var policy = RelayPolicy()
        policy.maximumChannels = 2
        let scene = try await ChannelScene([], policy: policy), relay = scene["relay"]
        for number in 1...4 {
            let command = "/_public group 1 1 {\"displayName\":\"more \(number)\",\"fullName\":\"\"}"
            guard case .publicGroupCreated = try await scene.owner.run(command) else { throw UnexpectedAnswer() }
        }
        try await TestSupport.eventually("the relay has answered all invitations") {
            try await relay.native.engine.store.read { db in
                let statuses = try db.groups.groups(user: 1).map(\.relayOwnStatus)
                return statuses.count == 5 && statuses.count { $0 == .rejected } == 3 && !statuses.contains(.invited)
            }
        }
        #expect(try await relay.native.engine.store.read { try $0.number("SELECT count(*) FROM group_links") } == 2)
        await scene.close()
    }

    @Test("an invitation that a relay gives up leaves no link behind")
    func givenUpInvitation() async throws {
        let scene = try await ChannelScene([]), relay = scene["relay"], link = try #require(scene.link.shortLink?.description)
        try await relay.native.engine.transactions.transaction { transaction in
            // As it is when the link is made and the answer could not be sent.
            try transaction.db.groups.update(ChannelScene.group, relayOwnStatus: .invited)
            try transaction.db.groups.update(ChannelScene.group, relayInvitation: Bytes([1, 2, 3]), link: link)
            #expect(try transaction.db.groups.servedChannels(user: 1) == 1)
            try transaction.relayRequests.reject(try #require(try transaction.relayRequests.find(ChannelScene.group)), "it could not be answered")
            #expect(try transaction.db.groups.servedChannels(user: 1) == 0)
            #expect(try transaction.db.groupLinks.find(group: ChannelScene.group) == nil)
        }
        try await TestSupport.eventually("the queue of the link is deleted") {
            try await relay.native.engine.store.read { try $0.jobs.waiting().isEmpty }
        }
        await scene.close()
    }

    @Test("subscribers send no receipts for what a relay passes on")
    func receipts() async throws {
        let scene = try await ChannelScene(["ann"])
        let ann = scene["ann"].network
        await scene.eventually("ann and the relay have told each other everything", at: "ann") { scene.world.router.messageCount == 0 }
        let sent = ann.sentCommands.count { $0 == "SEND" }
        for number in 1...5 {
            try await scene.post("post \(number)")
            await scene.expect("post \(number)", at: "ann")
        }
        await scene.eventually("everything is acknowledged", at: "ann") { scene.world.router.messageCount == 0 }
        #expect(ann.sentCommands.contains("ACK"))
        #expect(ann.sentCommands.count { $0 == "SEND" } == sent)
        await scene.close()
    }

    @Test("a relay proves that it has the key of its address")
    func relayTest() async throws {
        let world = TestWorld()
        let owner = try await world.core("owner"), relay = try await world.open(agent: .light)
        _ = try await relay.createUser("relay", isChatRelay: true)
        let address = try await ChannelScene.address(of: relay)
        guard case .chatRelayTestResult(_, let profile, let failure) = try await owner.run("/_relay test 1 \(address)") else { throw UnexpectedAnswer() }
        #expect(profile?.displayName == "relay" && failure == nil)
        let person = await owner.answer("/_address 1")["connLinkContact"]?["connShortLink"]?.stringValue ?? ""
        guard case .chatRelayTestResult(_, nil, let refused?) = try await owner.run("/relay test \(person)") else { throw UnexpectedAnswer() }
        #expect(refused.step == "decodeLink")
        await owner.close()
        await relay.close()
    }
}
