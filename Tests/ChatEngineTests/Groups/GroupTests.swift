import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Groups")
struct GroupTests {
    @Test("a contact who is invited joins, and both write")
    func invitation() async throws {
        let world = TestWorld()
        let alice = try await world.core("alice"), bob = try await world.core("bob")
        try await bob.join(try await alice.invite())
        #expect(await alice.eventually { await alice.connected().count == 1 })
        #expect(await bob.eventually { await bob.connected().count == 1 })
        let contact = try #require(await alice.connected().first)
        _ = try await alice.run(#"/_group 1 {"displayName":"team","fullName":""}"#)
        guard case .sentGroupInvitation(_, _, _, let member) = try await alice.run("/_add #1 \(contact) moderator") else { throw UnexpectedAnswer() }
        #expect(member.role == .moderator && member.status == .invited)
        #expect(await bob.wait { $0.contains { if case .receivedGroupInvitation = $0 { true } else { false } } })
        _ = try await bob.run("/_join #1")
        #expect(await bob.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        #expect(await alice.wait { $0.contains { if case .joinedGroupMember = $0 { true } else { false } } })
        for (sender, receiver, text) in [(alice, bob, "welcome"), (bob, alice, "thank you")] {
            _ = try await sender.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"\#(text)"}}]"#)
            let has = await receiver.eventually {
                guard case .apiChat(_, let chat, _)? = try? await receiver.run("/_get chat #1 count=50") else { return false }
                return chat.chatItems.contains { $0.meta.text == text }
            }
            #expect(has, "\(text)")
        }
        // A second invitation of the same contact is refused, and joining twice too.
        #expect(await alice.answer("/_add #1 \(contact) member")["chatError"]?["errorType"]?["type"] == "groupDuplicateMember")
        #expect(await bob.answer("/_join #1")["chatError"]?["storeError"]?["type"] == "groupAlreadyJoined")
        await alice.close()
        await bob.close()
    }

    @Test("members who joined by a link are connected to each other, and a message is one stored body for all")
    func link() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath", "dan"])
        let sent = try await scene.send("to all", as: "bob")
        let stored = try await scene["bob"].native.engine.store.read { db in
            try db.first(
                "SELECT count(*), count(DISTINCT body_id) FROM deliveries d JOIN delivery_items i USING (delivery_id) WHERE i.chat_item_id = ?",
                [sent.meta.itemID]
            ) { [$0.int(), $0.int()] }
        }
        #expect(stored == [3, 1], "three deliveries of one body")
        for name in ["alice", "cath", "dan"] { await scene.expect("to all", at: name) }
        // Each has it once.
        for name in scene.names { #expect(await scene.texts(at: name).filter { $0 == "to all" }.count == 1) }
        #expect(try await scene.info(at: "dan").groupSummary.currentMembers == 4)
        await scene.close()
    }

    @Test("one who joins gets what was written before, in its order, and the welcome message")
    func history() async throws {
        let profile = #""displayName":"team","fullName":"","description":"Be kind.","groupPreferences":{"history":{"enable":"on"}}"#
        let scene = try await GroupScene(["alice", "bob"], profile: profile) { owner in
            for number in 1...3 { _ = try await owner.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"message \#(number)"}}]"#) }
        }
        await scene.expect("message 3", at: "bob")
        let texts = await scene.texts(at: "bob")
        #expect(texts.filter { $0.hasPrefix("message") } == ["message 1", "message 2", "message 3"], "\(texts)")
        #expect(texts.filter { $0 == "Be kind." }.count == 1, "\(texts)")
        await scene.close()
    }

    @Test("edits, reactions, quotes and deletions reach all members")
    func changes() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        let sent = try await scene.send("frist", as: "bob")
        await scene.expect("frist", at: "cath")
        _ = try await scene["bob"].run(#"/_update item #1 \#(sent.meta.itemID) json {"msgContent":{"type":"text","text":"first"}}"#)
        await scene.expect("first", at: "cath")
        let received = try #require(await scene.items(at: "cath").first { $0.meta.text == "first" })
        #expect(received.meta.isEdited)
        _ = try await scene["cath"].run(#"/_reaction #1 \#(received.meta.itemID) on {"type":"emoji","emoji":"👍"}"#)
        await scene.eventually("alice sees who reacted", at: "alice") {
            guard let item = await scene.items(at: "alice").first(where: { $0.meta.text == "first" }),
                case .reactionMembers(_, let reactions) = try await scene["alice"].run(
                    #"/_reaction members 1 #1 \#(item.meta.itemID) {"type":"emoji","emoji":"👍"}"#)
            else { return false }
            return reactions.map(\.member.localDisplayName) == ["cath"]
        }
        _ = try await scene["cath"].run(
            #"/_send #1 json [{"quotedItemId":\#(received.meta.itemID),"msgContent":{"type":"text","text":"an answer"}}]"#)
        await scene.eventually("bob sees that he was quoted", at: "bob") {
            guard let item = await scene.items(at: "bob").first(where: { $0.meta.text == "an answer" }) else { return false }
            return item.quotedItem?.direction == .groupSent && item.meta.userMention
        }
        _ = try await scene["bob"].run("/_delete item #1 \(sent.meta.itemID) broadcast")
        await scene.eventually("cath sees the deletion", at: "cath") {
            await scene.items(at: "cath").contains { $0.meta.text == "first" && $0.meta.deleted != nil }
        }
        await scene.close()
    }

    @Test("a mention notifies the member it names, and no more than three are sent")
    func mentions() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        let bob = try await scene.member("bob", at: "alice").groupMemberID
        _ = try await scene["alice"].run(#"/_send #1 json [{"msgContent":{"type":"text","text":"hello @bob"},"mentions":{"bob":\#(bob)}}]"#)
        await scene.eventually("bob is mentioned", at: "bob") { await scene.items(at: "bob").contains { $0.meta.text == "hello @bob" && $0.meta.userMention } }
        await scene.expect("hello @bob", at: "cath")
        #expect(await !scene.items(at: "cath").contains { $0.meta.userMention })
        let answer = await scene["alice"].answer(#"/_send #1 json [{"msgContent":{"type":"text","text":"hello @cath"},"mentions":{"bob":\#(bob)}}]"#)
        #expect(answer["chatError"]?["storeError"]?["type"] == "invalidMention")
        await scene.close()
    }

    @Test("the item tells how far it is at each member")
    func receipts() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        let sent = try await scene.send("did you get it?", as: "alice")
        await scene.eventually("all have got it", at: "alice") {
            guard case .chatItemInfo(_, _, let info) = try await scene["alice"].run("/_get item info #1 \(sent.meta.itemID)") else { return false }
            return info.memberDeliveryStatuses?.map(\.status) == [.received(receipt: .ok), .received(receipt: .ok)]
        }
        await scene.eventually("the item is complete", at: "alice") {
            await scene.items(at: "alice").contains { $0.meta.itemID == sent.meta.itemID && $0.meta.status == .sendReceived(receipt: .ok, progress: .complete) }
        }
        await scene.close()
    }

    // MARK: Order

    @Test("roles, blocks and removals hold at all members")
    func order() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        let bob = try await scene.member("bob", at: "alice"), cath = try await scene.member("cath", at: "alice")
        _ = try await scene["alice"].run("/_member role #1 \(bob.groupMemberID) moderator")
        await scene.eventually("cath knows bob's role", at: "cath") { try await scene.member("bob", at: "cath").role == .moderator }
        await scene.eventually("bob knows his role", at: "bob") { try await scene.info(at: "bob").membership.role == .moderator }

        let cathAtBob = try await scene.member("cath", at: "bob")
        _ = try await scene["bob"].run("/_block #1 \(cathAtBob.groupMemberID) blocked=on")
        await scene.eventually("alice knows of the block", at: "alice") { try await scene.member("cath", at: "alice").blockedByAdmin }
        try await scene.send("am I blocked?", as: "cath")
        await scene.eventually("the message of a blocked member is marked", at: "alice") {
            await scene.items(at: "alice").contains { if case .blockedByAdmin = $0.meta.deleted { true } else { false } }
        }

        _ = try await scene["alice"].run("/_remove #1 \(cath.groupMemberID)")
        await scene.eventually("cath is out", at: "cath") { try await scene.info(at: "cath").membership.status == .removed }
        await scene.eventually("bob knows it", at: "bob") {
            await !scene.members(at: "bob").contains { $0.localDisplayName == "cath" && $0.status.isCurrent }
        }
        #expect(await scene["cath"].answer(#"/_send #1 json [{"msgContent":{"type":"text","text":"x"}}]"#)["type"] == "chatCmdError")
        #expect(
            await scene["bob"].answer("/_remove #1 \(try scene.member("alice", at: "bob").groupMemberID)")["chatError"]?["errorType"]?["type"]
                == "groupUserRole")

        _ = try await scene["bob"].run("/_leave #1")
        await scene.eventually("alice knows that bob left", at: "alice") {
            await !scene.members(at: "alice").contains { $0.localDisplayName == "bob" && $0.status.isCurrent }
        }
        #expect(try await scene.info(at: "alice").groupSummary.currentMembers == 1)
        await scene.close()
    }

    @Test("a moderated message is marked at all members, with the one who did it")
    func moderation() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        try await scene.send("bad words", as: "bob")
        await scene.expect("bad words", at: "alice")
        await scene.expect("bad words", at: "cath")
        let item = try #require(await scene.items(at: "alice").first { $0.meta.text == "bad words" })
        _ = try await scene["alice"].run("/_delete member item #1 \(item.meta.itemID)")
        for name in ["bob", "cath"] {
            await scene.eventually("\(name) sees the moderation", at: name) {
                await scene.items(at: name).contains {
                    if $0.meta.text == "bad words", case .moderated(_, let moderator) = $0.meta.deleted { moderator.localDisplayName == "alice" } else { false }
                }
            }
        }
        await scene.close()
    }

    @Test("a report goes to moderators only")
    func reports() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        try await scene.send("spam", as: "bob")
        await scene.expect("spam", at: "cath")
        let item = try #require(await scene.items(at: "cath").first { $0.meta.text == "spam" })
        _ = try await scene["cath"].run("/_report #1 \(item.meta.itemID) reason=spam look at this")
        await scene.eventually("alice has the report", at: "alice") {
            guard case .apiChat(_, let chat, _) = try await scene["alice"].run("/_get chat #1 content=report count=5") else { return false }
            return chat.chatItems.count == 1 && chat.chatItems[0].quotedItem?.content.text == "spam"
        }
        try await scene.send("the next one", as: "cath")
        await scene.expect("the next one", at: "bob")
        guard case .apiChat(_, let chat, _) = try await scene["bob"].run("/_get chat #1 content=report count=5") else { throw UnexpectedAnswer() }
        #expect(chat.chatItems.isEmpty)
        guard case .groupChatItemsDeleted(_, _, let ids, true, _) = try await scene["alice"].run("/_archive reports #1") else { throw UnexpectedAnswer() }
        #expect(ids.count == 1)
        await scene.close()
    }

    @Test("a group with review lets nobody in unseen, moderators talk to who waits, and accept")
    func admission() async throws {
        let profile = #""displayName":"team","fullName":"","memberAdmission":{"review":"all"}"#
        let scene = try await GroupScene(["alice"], profile: profile)
        let bob = try await scene.world.core("bob")
        try await scene.join(bob)
        #expect(await bob.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        await scene.eventually("bob waits", at: "alice") { try await scene.member("bob", at: "alice").status == .pendingReview }
        #expect(await scene.owner.eventually { (try? await scene.info(at: "alice").membersRequireAttention) == 1 })
        let member = try await scene.member("bob", at: "alice").groupMemberID
        #expect(await bob.answer(#"/_send #1 json [{"msgContent":{"type":"text","text":"x"}}]"#)["type"] == "chatCmdError")
        try await scene.send("who are you?", as: "alice", scope: "(_support:\(member))")
        let asked = await bob.eventually {
            guard case .apiChat(_, let chat, _)? = try? await bob.run("/_get chat #1(_support) count=20") else { return false }
            return chat.chatItems.contains { $0.meta.text == "who are you?" }
        }
        #expect(asked)
        _ = try await bob.run(#"/_send #1(_support) json [{"msgContent":{"type":"text","text":"I am bob"}}]"#)
        await scene.expect("I am bob", at: "alice", scope: "(_support:\(member))")
        guard case .memberAccepted(_, let group, let accepted) = try await scene["alice"].run("/_accept member #1 \(member) member") else {
            throw UnexpectedAnswer()
        }
        #expect(accepted.status == .connected && group.membersRequireAttention == 1, "what he wrote is not read yet")
        #expect(await bob.wait { $0.filter { if case .userJoinedGroup = $0 { true } else { false } }.count == 2 })
        _ = try await bob.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"hello"}}]"#)
        await scene.expect("hello", at: "alice")
        await bob.close()
        await scene.close()
    }

    @Test("what a blocked member sends is marked, keeps its quote, and calls nobody")
    func blockedMessagesAreWhole() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        _ = try await scene.send("who has the keys?", as: "cath")
        for name in ["alice", "bob"] { await scene.expect("who has the keys?", at: name) }
        _ = try await scene["alice"].run("/_block #1 \(try await scene.member("bob", at: "alice").groupMemberID) blocked=on")
        await scene.eventually("bob is blocked", at: "cath") { try await scene.member("bob", at: "cath").blockedByAdmin }
        let question = try #require(await scene.items(at: "bob").first { $0.meta.text == "who has the keys?" })
        _ = try await scene["bob"].run(#"/_send #1 json [{"quotedItemId":\#(question.meta.itemID),"msgContent":{"type":"text","text":"not me"}}]"#)
        await scene.expect("not me", at: "cath")
        let item = try #require(await scene.items(at: "cath").first { $0.meta.text == "not me" })
        #expect(item.quotedItem?.content.text == "who has the keys?" && item.meta.userMention == false)
        guard case .blockedByAdmin = item.meta.deleted else { throw UnexpectedAnswer() }
        await scene.close()
    }

    @Test("a moderator lets nobody in above itself")
    func admissionAboveOneself() async throws {
        let profile = #""displayName":"team","fullName":"","memberAdmission":{"review":"all"}"#
        let scene = try await GroupScene(["alice"], profile: profile)
        let cath = try await scene.world.core("cath"), bob = try await scene.world.core("bob")
        for (name, person, role) in [("cath", cath, "moderator"), ("bob", bob, "member")] {
            try await scene.join(person)
            await scene.eventually("\(name) waits", at: "alice") { try await scene.member(name, at: "alice").status == .pendingReview }
            guard name == "cath" else { continue }
            _ = try await scene["alice"].run("/_accept member #1 \(try await scene.member(name, at: "alice").groupMemberID) \(role)")
        }
        let waiting = Recorder<GroupMemberID>()
        #expect(
            await cath.eventually {
                guard case .groupMembers(_, let group)? = try? await cath.run("/_members #1") else { return false }
                let bob = group.members.first { $0.localDisplayName == "bob" && $0.status == .pendingReview }
                if let bob { waiting.append(bob.groupMemberID) }
                return bob != nil
            })
        let id = try #require(waiting.elements.last)
        let refusal = await cath.answer("/_accept member #1 \(id) admin")
        #expect(refusal["type"] == "chatCmdError" && refusal.text.contains("groupUserRole"))
        guard case .memberAccepted(_, _, let accepted) = try await cath.run("/_accept member #1 \(id) moderator") else { throw UnexpectedAnswer() }
        #expect(accepted.role == .moderator)
        await scene.eventually("bob is in, for the owner too", at: "alice") { try await scene.member("bob", at: "alice").role == .moderator }
        await bob.close()
        await cath.close()
        await scene.close()
    }

    @Test("a business address opens a chat with each customer, to whom the business answers")
    func business() async throws {
        let world = TestWorld()
        let shop = try await world.core("shop"), customer = try await world.core("customer")
        guard case .userContactLinkCreated(_, let link) = try await shop.run("/_address 1") else { throw UnexpectedAnswer() }
        _ = try await shop.run(
            #"/_address_settings 1 {"businessAddress":true,"autoAccept":{"acceptIncognito":false},"autoReply":{"type":"text","text":"How can I help?"}}"#)
        _ = try await customer.run("/_connect 1 \(link.fullLink)")
        #expect(await shop.wait { $0.contains { if case .acceptingBusinessRequest = $0 { true } else { false } } })
        #expect(await customer.wait { $0.contains { if case .userJoinedGroup = $0 { true } else { false } } })
        func has(_ text: String, _ core: TestCore) async -> Bool {
            await core.eventually {
                guard case .apiChat(_, let chat, _)? = try? await core.run("/_get chat #1 count=30") else { return false }
                return chat.chatItems.contains { $0.meta.text == text }
            }
        }
        #expect(await has("How can I help?", customer))
        _ = try await customer.run(#"/_send #1 json [{"msgContent":{"type":"text","text":"It is broken."}}]"#)
        #expect(await has("It is broken.", shop))
        guard case .groupInfo(_, let group) = try await customer.run("/_info #1") else { throw UnexpectedAnswer() }
        #expect(group.businessChat?.chatType == .business && group.groupProfile.displayName == "shop" && group.membership.role == .member)
        // The customer does not decide about the chat.
        #expect(await customer.answer(#"/_group_profile #1 {"displayName":"mine","fullName":""}"#)["chatError"]?["errorType"]?["type"] == "groupUserRole")
        await shop.close()
        await customer.close()
    }

    @Test("members become contacts of each other, and are written to directly")
    func memberContact() async throws {
        let scene = try await GroupScene(
            ["alice", "bob", "cath"],
            profile: #""displayName":"team","fullName":"","groupPreferences":{"directMessages":{"enable":"on"}}"#)
        let cath = try await scene.member("cath", at: "bob").groupMemberID
        guard case .newMemberContact(_, let contact, _, _) = try await scene["bob"].run("/_create member contact #1 \(cath)") else { throw UnexpectedAnswer() }
        _ = try await scene["bob"].run("/_invite member contact @\(contact.contactID) text between us")
        #expect(await scene["cath"].wait { $0.contains { if case .newMemberContactReceivedInv = $0 { true } else { false } } })
        let received = scene["cath"].events.compactMap { if case .newMemberContactReceivedInv(_, let contact, _, _) = $0 { contact } else { nil } }
        let known = try #require(received.first)
        let banners = scene["cath"].events.filter { event in
            guard case .newChatItems(_, let items) = event, let first = items.first else { return false }
            return first.chatItem.content == .chatBanner && first.chatInfo.reference == .direct(known.contactID)
        }
        #expect(banners.count == 1)
        _ = try await scene["cath"].run("/_accept member contact @\(known.contactID)")
        #expect(await scene["bob"].eventually { await scene["bob"].connected().contains(contact.contactID) })
        _ = try await scene["bob"].send("hello", to: contact.contactID)
        #expect(await scene["cath"].eventually { await scene["cath"].received(from: known.contactID).contains("hello") })
        #expect(await scene["cath"].received(from: known.contactID).first == "between us")
        await scene.close()
    }

    @Test("the owner's deletion ends the group for all")
    func deletion() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        #expect(await scene["bob"].answer("/_delete #1 full notify=on")["chatError"]?["errorType"]?["type"] == "groupUserRole")
        _ = try await scene["alice"].run("/_delete #1 full notify=on")
        for name in ["bob", "cath"] {
            await scene.eventually("\(name) knows", at: name) { try await scene.info(at: name).membership.status == .groupDeleted }
        }
        let left = try await scene["alice"].native.engine.store.read { db in
            try ["groups", "group_members", "chat_items WHERE group_id IS NOT NULL", "connections", "group_links"].map {
                try db.number("SELECT count(*) FROM \($0)")
            }
        }
        #expect(left == [0, 0, 0, 0, 0])
        await scene.close()
    }

    @Test("a message to a member that can just be reached does not overtake those that waited for it")
    func waitingFirst() async throws {
        let scene = try await GroupScene(["alice", "bob"])
        let bob = try await scene.member("bob", at: "alice").groupMemberID
        func setStatus(_ status: String) async throws {
            try await scene["alice"].native.engine.store.write { db in
                try db.run("UPDATE connections SET status = ? WHERE group_member_id = ?", [status, bob])
            }
        }
        try await setStatus("requested")
        for text in ["first", "second"] { try await scene.send(text, as: "alice") }
        try await setStatus("sndReady")
        try await scene.send("third", as: "alice")
        await scene.expect("third", at: "bob")
        await scene.expect("second", at: "bob")
        #expect(await scene.texts(at: "bob") == ["first", "second", "third"])
        await scene.close()
    }

    @Test("a message left to the host is forwarded although the other member has reported the connection")
    func overtakenReport() async throws {
        let scene = try await GroupScene(["alice", "bob", "cath"])
        let cathAtBob = try await scene.member("cath", at: "bob").groupMemberID
        let bobAtAlice = try await scene.member("bob", at: "alice").groupMemberID, cathAtAlice = try await scene.member("cath", at: "alice")
        // Both have reported the connection by now; it is as if bob had not heard of it yet.
        try await scene["bob"].native.engine.store.write { db in
            try db.run("UPDATE connections SET status = 'requested' WHERE group_member_id = ?", [cathAtBob])
        }
        try await scene["alice"].native.engine.store.write { db in
            var relations = try db.members.relations(ofMember: bobAtAlice)
            relations.introduce(cathAtAlice.indexInGroup, isIntroducedToSubject: false)
            relations.connect(cathAtAlice.indexInGroup, reported: .referencedConnected)
            try db.members.update(bobAtAlice, relations: relations)
        }
        try await scene.send("left to alice", as: "bob")
        await scene.expect("left to alice", at: "cath")
        #expect(await scene.items(at: "cath").first { $0.meta.text == "left to alice" }?.meta.forwardedByMember != nil)
        await scene.close()
    }
}
