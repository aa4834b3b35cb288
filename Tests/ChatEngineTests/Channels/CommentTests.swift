import ChatAPI
import ChatRules
import EncryptedSQLite
import GRDB
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

extension ChannelScene {
    static let commented =
        #""groupPreferences":{"history":{"enable":"on"},"support":{"enable":"off"},"comments":{"enable":"on"},"fullDelete":{"enable":"on"}}"#
    static let marked = #""groupPreferences":{"history":{"enable":"on"},"support":{"enable":"off"},"comments":{"enable":"on"}}"#

    @discardableResult
    func comment(_ text: String, on post: String, as name: String, quoting quoted: ChatItemID? = nil) async throws -> ChatItem {
        let post = try await item(post, at: name)
        var message: JSONValue = ["msgContent": ["type": "text", "text": .string(text)]]
        if let quoted {
            message = ["msgContent": ["type": "text", "text": .string(text)], "quotedItemId": quoted.json]
        }
        guard
            case .newChatItems(_, let items) = try await self[name].run(
                "/_comment #1 \(post.meta.itemID) json \(JSONValue.array([message]).text)"), let item = items.first
        else { throw UnexpectedAnswer() }
        return item.chatItem
    }

    /// The comments on a post as somebody has them, oldest first.
    func comments(on post: String, at name: String) async -> [ChatItem] {
        guard let post = await items(at: name).last(where: { $0.meta.text == post }),
            case .apiChat(_, let chat, _)? = try? await self[name].run("/_get chat #1 parent=\(post.meta.itemID) count=100")
        else { return [] }
        return chat.chatItems
    }

    /// Waits until somebody has these comments. Routers tell times in seconds: the order of two authors within one is any.
    func expectComments(_ texts: [String], on post: String, at name: String, inOrder: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) async {
        let areThere = await self[name].eventually {
            let found = await comments(on: post, at: name).map(\.meta.text)
            return inOrder ? found == texts : found.sorted() == texts.sorted()
        }
        let found = await comments(on: post, at: name).map(\.meta.text)
        let errors = self[name].events.filter { if case .messageError = $0 { true } else if case .chatError = $0 { true } else { false } }
        #expect(areThere, "\(name) has \(found): \(errors.map(\.json.text))", sourceLocation: sourceLocation)
    }

    func expectCount(_ count: Int, on post: String, at name: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await eventually("\(count) comments are counted", at: name, sourceLocation: sourceLocation) {
            try await item(post, at: name).meta.commentsTotal ?? 0 == count
        }
    }

    /// A reference to a post as messages carry it.
    func reference(to post: String, at name: String) async throws -> MessageReference {
        let post = try await item(post, at: name)
        return MessageReference(
            messageID: post.meta.sharedMessageID, sentAt: post.meta.itemTimestamp, sent: false, memberID: post.direction.author?.memberID)
    }
}

@Suite("Comments")
struct CommentTests {
    @Test("comments of subscribers and the owner reach all, under their post only, and change neither the chat nor its counts")
    func comments() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        try await scene.post("first")
        try await scene.post("second", asGroup: false)
        for name in ["ann", "bob"] { await scene.expect("second", at: name) }
        let before = await scene["bob"].answer("/_get chats 1 count=5")
        try await scene.comment("from ann", on: "first", as: "ann")
        await scene.expectComments(["from ann"], on: "first", at: "owner")
        try await scene.comment("from the owner", on: "first", as: "owner")
        try await scene.comment("elsewhere", on: "second", as: "ann")
        for name in ["owner", "ann", "bob"] {
            await scene.expectComments(["elsewhere"], on: "second", at: name)
            await scene.expectComments(["from ann", "from the owner"], on: "first", at: name, inOrder: false)
            await scene.expectCount(2, on: "first", at: name)
            await scene.expectCount(1, on: "second", at: name)
            #expect(await scene.texts(at: name) == ["first", "second"], "\(name) sees comments among the posts")
        }
        let comments = await scene.comments(on: "first", at: "bob")
        #expect(comments.first { $0.meta.text == "from ann" }?.direction.author?.role == .commenter)
        #expect(comments.first { $0.meta.text == "from the owner" }?.direction.author?.role == .owner)
        let first = try await scene.item("first", at: "bob").meta.itemID
        #expect(comments.allSatisfy { $0.meta.parentItemID == first })
        let after = await scene["bob"].answer("/_get chats 1 count=5")
        #expect(after["chats"]?.arrayValue?.first?["chatStats"] == before["chats"]?.arrayValue?.first?["chatStats"])
        #expect(
            after["chats"]?.arrayValue?.first?["chatItems"]?.arrayValue?.first?["meta"]?["itemText"]
                == before["chats"]?.arrayValue?.first?["chatItems"]?.arrayValue?.first?["meta"]?["itemText"])
        await scene.close()
    }

    @Test("comments reach all if the owner and the relay are profiles of one core, and each profile has its own copy") func sharedCore() async throws {
        let scene = try await ChannelScene(["ann", "bob"], sharesCore: true, preferences: ChannelScene.marked)
        try await scene.post("post")
        for name in ["ann", "bob"] { await scene.expect("post", at: name) }
        try await scene.comment("from ann", on: "post", as: "ann")
        for name in ["owner", "bob"] { await scene.expectComments(["from ann"], on: "post", at: name) }
        try await scene.comment("from the owner", on: "post", as: "owner")
        for name in ["owner", "ann", "bob"] {
            await scene.expectComments(["from ann", "from the owner"], on: "post", at: name, inOrder: false)
            await scene.expectCount(2, on: "post", at: name)
        }
        _ = try await scene.owner.run("/_user 2")
        guard case .apiChat(_, let served, _) = try await scene.owner.run("/_get chat #2 count=200") else { throw UnexpectedAnswer() }
        #expect(served.chatItems.last { $0.meta.text == "post" }?.meta.commentsTotal == 2)
        await scene.close()
    }

    @Test("comments are edited, reacted to, deleted and moderated, and the count follows", arguments: [ChannelScene.marked, ChannelScene.commented])
    func changes(preferences: String) async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: preferences)
        try await scene.post("post")
        await scene.expect("post", at: "bob")
        let first = try await scene.comment("one", on: "post", as: "ann")
        try await scene.comment("two", on: "post", as: "ann")
        for name in ["owner", "bob"] { await scene.expectComments(["one", "two"], on: "post", at: name) }
        _ = try await scene["ann"].run("/_update item #1 \(first.meta.itemID) text one edited")
        for name in ["owner", "bob"] { await scene.expectComments(["one edited", "two"], on: "post", at: name) }
        let seen = try #require(await scene.comments(on: "post", at: "bob").last)
        _ = try await scene["bob"].run(##"/_reaction #1 \##(seen.meta.itemID) on {"type":"emoji","emoji":"👍"}"##)
        for name in ["owner", "ann"] {
            await scene.eventually("\(name) sees the reaction", at: name) {
                await scene.comments(on: "post", at: name).last?.reactions.first?.totalReacted == 1
            }
        }
        _ = try await scene["ann"].run("/_delete item #1 \(first.meta.itemID) broadcast")
        for name in ["owner", "ann", "bob"] { await scene.expectCount(1, on: "post", at: name) }
        let moderated = try #require(await scene.comments(on: "post", at: "owner").last)
        _ = try await scene["owner"].run("/_delete member item #1 \(moderated.meta.itemID)")
        for name in ["owner", "ann", "bob"] {
            await scene.expectCount(0, on: "post", at: name)
            #expect(await scene.comments(on: "post", at: name).allSatisfy { $0.meta.deleted != nil })
        }
        #expect(await scene.texts(at: "bob") == ["post"])
        await scene.close()
    }

    @Test("comments quote their post and each other, and nothing else")
    func quotes() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        try await scene.post("here")
        try await scene.post("there")
        for name in ["ann", "bob"] { await scene.expect("there", at: name) }
        let here = try await scene.item("here", at: "ann"), there = try await scene.item("there", at: "ann")
        let first = try await scene.comment("about the post", on: "here", as: "ann", quoting: here.meta.itemID)
        try await scene.comment("about the comment", on: "here", as: "ann", quoting: first.meta.itemID)
        let refused = await scene["ann"].answer(
            #"/_comment #1 \#(here.meta.itemID) json [{"msgContent":{"type":"text","text":"x"},"quotedItemId":\#(there.meta.itemID)}]"#)
        #expect(refused["chatError"]?["errorType"]?["message"]?.stringValue == CommentRefusal.foreignQuote.rawValue, "\(refused.text)")
        await scene.expectComments(["about the post", "about the comment"], on: "here", at: "bob")
        #expect(await scene.comments(on: "here", at: "bob").map { $0.quotedItem?.content.text } == ["here", "about the post"])
        // What quotes something else is shown without it.
        var container = MessageContainer(content: .text("foreign quote"))
        container.parent = try await scene.reference(to: "here", at: "ann")
        container.quote = QuotedMessage(reference: try await scene.reference(to: "there", at: "ann"), content: .text("there"))
        try await scene.attack(.newMessage(container), from: "ann", to: "relay")
        await scene.expectComments(["about the post", "about the comment", "foreign quote"], on: "here", at: "bob")
        #expect(await scene.comments(on: "here", at: "bob").last?.quotedItem == nil)
        await scene.close()
    }

    @Test("the owner and moderators close a post for comments and open it again")
    func closing() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        let post = try await scene.post("post")
        await scene.expect("post", at: "bob")
        let edited = try await scene.comment("before", on: "post", as: "ann")
        await scene.expectComments(["before"], on: "post", at: "owner")
        guard case .chatItemUpdated(_, let item) = try await scene["owner"].run("/_comments_disabled #1 \(post.meta.itemID) on") else {
            throw UnexpectedAnswer()
        }
        #expect(item.chatItem.meta.commentsDisabled == true)
        for name in ["relay", "ann", "bob"] {
            await scene.eventually("the post is closed", at: name) { try await scene.item("post", at: name).meta.commentsDisabled == true }
        }
        let seen = try await scene.item("post", at: "ann").meta.itemID
        for command in [#"/_comment #1 \#(seen) text late"#, "/_update item #1 \(edited.meta.itemID) text late"] {
            let refused = await scene["ann"].answer(command)
            #expect(refused["chatError"]?["errorType"]?["message"]?.stringValue == CommentRefusal.disabled.rawValue, "\(refused.text)")
        }
        var container = MessageContainer(content: .text("forced"))
        container.parent = try await scene.reference(to: "post", at: "ann")
        try await scene.attack(.newMessage(container), from: "ann", to: "relay")
        await scene.expectError(CommentRefusal.disabled.rawValue, at: "relay")
        let bob = try await scene.member("bob", at: "owner")
        _ = try await scene["owner"].run("/_member role #1 \(bob.groupMemberID) moderator")
        await scene.eventually("bob moderates", at: "bob") { try await scene.info(at: "bob").membership.role == .moderator }
        let opened = try await scene.item("post", at: "bob").meta.itemID
        _ = try await scene["bob"].run("/_comments_disabled #1 \(opened) off")
        for name in ["relay", "ann", "owner"] {
            await scene.eventually("the post is open", at: name) { try await scene.item("post", at: name).meta.commentsDisabled != true }
        }
        try await scene.comment("after", on: "post", as: "ann")
        for name in ["owner", "bob"] { await scene.expectComments(["before", "after"], on: "post", at: name) }
        #expect(await scene.texts(at: "bob") == ["post"])
        await scene.close()
    }

    @Test("clients that do not know comments get none of them, nor what happens to them")
    func oldClients() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        let bob = try await scene.member("bob", at: "relay")
        try await scene["relay"].native.engine.transactions.transaction { transaction in
            let connection = try #require(bob.activeConnection).connectionID
            #expect(try transaction.db.connections.knowsComments(connection))
            try transaction.db.run("UPDATE connections SET knows_comments = 0 WHERE connection_id = ?", [connection])
        }
        let post = try await scene.post("post")
        await scene.expect("post", at: "bob")
        let comment = try await scene.comment("comment", on: "post", as: "ann")
        await scene.expectComments(["comment"], on: "post", at: "owner")
        _ = try await scene["ann"].run("/_update item #1 \(comment.meta.itemID) text edited")
        await scene.expectComments(["edited"], on: "post", at: "owner")
        _ = try await scene["owner"].run("/_comments_disabled #1 \(post.meta.itemID) on")
        _ = try await scene["ann"].run("/_delete item #1 \(comment.meta.itemID) broadcast")
        await scene.expectCount(0, on: "post", at: "owner")
        try await scene.post("after")
        await scene.expect("after", at: "bob")
        #expect(await scene.texts(at: "bob") == ["post", "after"])
        #expect(await scene.comments(on: "post", at: "bob").isEmpty)
        #expect(try await scene.item("post", at: "bob").meta.commentsDisabled != true)
        #expect(!scene["bob"].events.contains { if case .messageError = $0 { true } else { false } })
        await scene.close()
    }

    @Test("nothing about comments is sent to a relay that does not know them")
    func oldRelay() async throws {
        let scene = try await ChannelScene(["ann"], preferences: ChannelScene.marked)
        let post = try await scene.post("post")
        let seen = try await scene.item("post", at: "ann")
        for name in ["owner", "ann"] {
            try await scene[name].native.engine.transactions.transaction { try $0.db.run("UPDATE connections SET knows_comments = 0") }
        }
        for (name, command) in [
            ("ann", "/_comment #1 \(seen.meta.itemID) text hello"), ("owner", "/_comments_disabled #1 \(post.meta.itemID) on"),
        ] {
            let refused = await scene[name].answer(command)
            #expect(refused["chatError"]?["errorType"]?["message"]?.stringValue == CommentRefusal.noRelay.rawValue, "\(refused.text)")
        }
        await scene.close()
    }

    @Test("the welcome message is refused as a post: nobody else knows it")
    func welcome() async throws {
        let scene = try await ChannelScene(["ann"], preferences: #""description":"Welcome!","# + ChannelScene.marked)
        try await scene.post("post")
        await scene.expect("post", at: "ann")
        let welcome = try await scene.item("Welcome!", at: "ann")
        let refused = await scene["ann"].answer("/_comment #1 \(welcome.meta.itemID) text hello")
        #expect(refused["chatError"]?["errorType"]?["message"]?.stringValue == CommentRefusal.welcome.rawValue, "\(refused.text)")
        try await scene.comment("hello", on: "post", as: "ann")
        await scene.expectComments(["hello"], on: "post", at: "owner")
        await scene.close()
    }

    @Test("somebody who subscribes later gets the comments on the posts of the history")
    func history() async throws {
        let scene = try await ChannelScene(["ann"], preferences: ChannelScene.marked)
        try await scene.post("post")
        try await scene.comment("one", on: "post", as: "ann")
        try await scene.post("own", asGroup: false)
        try await scene.comment("two", on: "own", as: "ann")
        await scene.expectComments(["two"], on: "own", at: "owner")
        let late = try await scene.world.open(agent: .light)
        _ = try await late.createUser("late")
        try await scene.subscribe(late)
        let isThere = await late.eventually {
            guard case .apiChat(_, let chat, _)? = try? await late.run("/_get chat #1 count=100") else { return false }
            return chat.chatItems.compactMap(\.meta.commentsTotal) == [1, 1]
        }
        #expect(isThere)
        await late.close()
        await scene.close()
    }

    @Test("when a channel begins to take comments its subscribers may comment; when it ends that, nobody may")
    func turningOn() async throws {
        let scene = try await ChannelScene(["ann", "bob"])
        try await scene.post("post")
        let seen = try await scene.item("post", at: "ann")
        #expect(try await scene.info(at: "ann").membership.role == .observer)
        let early = await scene["ann"].answer("/_comment #1 \(seen.meta.itemID) text early")
        #expect(early["type"] == "chatCmdError")
        _ = try await scene["owner"].run(#"/_group_profile #1 {"displayName":"news","fullName":"",\#(ChannelScene.marked)}"#)
        for name in ["ann", "bob"] {
            await scene.eventually("\(name) may comment", at: name) { try await scene.info(at: name).membership.role == .commenter }
        }
        try await scene.comment("now", on: "post", as: "ann")
        for name in ["owner", "bob"] { await scene.expectComments(["now"], on: "post", at: name) }
        #expect(await scene["ann"].answer(#"/_send #1 json [{"msgContent":{"type":"text","text":"no post"}}]"#)["type"] == "chatCmdError")
        _ = try await scene["owner"].run(#"/_group_profile #1 {"displayName":"news","fullName":"",\#(ChannelScene.preferences)}"#)
        await scene.eventually("comments are off", at: "ann") { try await !scene.info(at: "ann").allows(.comments) }
        let late = await scene["ann"].answer("/_comment #1 \(seen.meta.itemID) text late")
        #expect(late["chatError"]?["errorType"]?["message"]?.stringValue == CommentRefusal.notAllowed.rawValue, "\(late.text)")
        await scene.close()
    }

    @Test("with two relays each comment is shown once")
    func twoRelays() async throws {
        let scene = try await ChannelScene(["ann", "bob"], relays: 2, preferences: ChannelScene.marked)
        try await scene.post("post")
        for name in ["ann", "bob"] { await scene.expect("post", at: name) }
        for number in 1...3 { try await scene.comment("comment \(number)", on: "post", as: "ann") }
        for name in ["owner", "bob"] {
            await scene.expectComments(["comment 1", "comment 2", "comment 3"], on: "post", at: name)
            await scene.expectCount(3, on: "post", at: name)
        }
        await scene.close()
    }
}
