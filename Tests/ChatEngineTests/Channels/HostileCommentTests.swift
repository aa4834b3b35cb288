import ChatAPI
import ChatRules
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

@Suite("Hostile comments")
struct HostileCommentTests {
    private func comment(_ text: String, on parent: MessageReference?) -> ChatMessageEvent {
        var container = MessageContainer(content: .text(text))
        container.parent = parent
        return .newMessage(container)
    }

    /// Sends a comment past the rules of its author's engine, and expects that the relay refuses it.
    private func expectRefusal(
        _ refusal: CommentRefusal, of event: ChatMessageEvent, from name: String, in scene: ChannelScene,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await scene.attack(event, from: name, to: "relay")
        await scene.expectError(refusal.rawValue, at: "relay", sourceLocation: sourceLocation)
    }

    /// Expects that nobody has got anything but these posts, which have no comments.
    private func expectOnly(_ posts: [String], in scene: ChannelScene, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await scene.post("after")
        for name in ["owner", "bob"] {
            await scene.expect("after", at: name)
            #expect(await scene.texts(at: name) == posts + ["after"], sourceLocation: sourceLocation)
            for post in posts { #expect(await scene.comments(on: post, at: name).isEmpty, sourceLocation: sourceLocation) }
        }
    }

    @Test("one whose right to comment was taken away cannot comment")
    func withoutRight() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        try await scene.post("post")
        let ann = try await scene.member("ann", at: "owner")
        _ = try await scene["owner"].run("/_member role #1 \(ann.groupMemberID) observer")
        await scene.eventually("ann is an observer", at: "ann") { try await scene.info(at: "ann").membership.role == .observer }
        let seen = try await scene.item("post", at: "ann")
        #expect(await scene["ann"].answer("/_comment #1 \(seen.meta.itemID) text no")["type"] == "chatCmdError")
        try await expectRefusal(.role, of: comment("no", on: scene.reference(to: "post", at: "ann")), from: "ann", in: scene)
        try await expectOnly(["post"], in: scene)
        await scene.close()
    }

    @Test("a blocked subscriber's comments are passed on to nobody")
    func blocked() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        try await scene.post("post")
        await scene.expect("post", at: "ann")
        let ann = try await scene.member("ann", at: "owner")
        _ = try await scene["owner"].run("/_block #1 \(ann.groupMemberID) blocked=on")
        await scene.eventually("the relay knows", at: "relay") {
            await scene.members(at: "relay").contains { $0.memberID == ann.memberID && $0.blockedByAdmin }
        }
        try await scene.comment("hello", on: "post", as: "ann")
        try await expectOnly(["post"], in: scene)
        await scene.close()
    }

    @Test("a comment names a post of this channel and its author, or is dropped")
    func parents() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        try await scene.post("post")
        let real = try await scene.reference(to: "post", at: "ann")
        let owner = try await scene.info(at: "owner").membership.memberID
        var foreign = real, forged = real, none = real
        foreign.messageID = SharedMessageID(Bytes(repeating: 7, count: 12))
        forged.memberID = owner
        none.messageID = nil
        try await expectRefusal(.noPost, of: comment("on a foreign post", on: foreign), from: "ann", in: scene)
        try await expectRefusal(.forgedPost, of: comment("on a post of somebody else", on: forged), from: "ann", in: scene)
        try await expectRefusal(.noPost, of: comment("on nothing", on: none), from: "ann", in: scene)
        try await expectOnly(["post"], in: scene)
        await scene.close()
    }

    @Test("comments have no comments of their own")
    func chains() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        try await scene.post("post")
        await scene.expect("post", at: "bob")
        let first = try await scene.comment("comment", on: "post", as: "ann")
        await scene.expectComments(["comment"], on: "post", at: "bob")
        #expect(await scene["ann"].answer("/_comment #1 \(first.meta.itemID) text deeper")["type"] == "chatCmdError")
        let ann = try await scene.info(at: "ann").membership.memberID
        let reference = MessageReference(
            messageID: first.meta.sharedMessageID, sentAt: first.meta.itemTimestamp, sent: true, memberID: ann)
        try await expectRefusal(.noPost, of: comment("deeper", on: reference), from: "ann", in: scene)
        await scene.expectComments(["comment"], on: "post", at: "bob")
        await scene.close()
    }

    @Test("a subscriber cannot close comments, comment in the name of the channel, or pass a comment off as a post")
    func overstepping() async throws {
        let scene = try await ChannelScene(["ann", "bob"], preferences: ChannelScene.marked)
        try await scene.post("post")
        let seen = try await scene.item("post", at: "ann")
        #expect(await scene["ann"].answer("/_comments_disabled #1 \(seen.meta.itemID) on")["type"] == "chatCmdError")
        var update = MessageUpdate(messageID: try #require(seen.meta.sharedMessageID), content: .text("post"))
        update.preferences = MessagePreferences(commentsDisabled: true)
        try await scene.attack(.updateMessage(update), from: "ann", to: "relay")
        await scene.expectError("x.msg.update: member is not allowed to close comments", at: "relay")
        var container = MessageContainer(content: .text("as the channel"))
        container.parent = try await scene.reference(to: "post", at: "ann")
        container.asGroup = true
        try await scene.attack(.newMessage(container), from: "ann", to: "relay")
        await scene.expectError("member is not allowed to send as group", at: "relay")
        try await scene.attack(comment("no comment", on: nil), from: "ann", to: "relay")
        await scene.expectError("member is not allowed to send messages", at: "relay")
        try await expectOnly(["post"], in: scene)
        #expect(try await scene.item("post", at: "bob").meta.commentsDisabled != true)
        await scene.close()
    }

    @Test("a relay cannot write comments in its own name or in the name of the channel")
    func relayComments() async throws {
        let scene = try await ChannelScene(["bob"], preferences: ChannelScene.marked)
        try await scene.post("post")
        let reference = try await scene.reference(to: "post", at: "bob")
        try await scene.attack(comment("from the relay", on: reference), from: "relay", to: "bob")
        await scene.expectError(CommentRefusal.role.rawValue, at: "bob")
        let forward = MessageForward(sender: .channel, brokerTimestamp: .current())
        let body = MessageBatching.delivery(of: [forward.element(try ChannelScene.body(comment("from the channel", on: reference)))]).body
        try await scene.send(body, from: "relay", to: "bob")
        await scene.expectError(CommentRefusal.noAuthor.rawValue, at: "bob")
        #expect(await scene.comments(on: "post", at: "bob").isEmpty)
        await scene.close()
    }

    @Test("a post takes comments until its time is over, counted from the time at which it was sent")
    func duration() async throws {
        let limited = #""groupPreferences":{"comments":{"enable":"on","duration":3600}}"#
        let scene = try await ChannelScene(["ann"], preferences: limited)
        let id = try await scene.post("post").meta.itemID
        try await scene["owner"].native.engine.transactions.transaction { transaction in
            let group = try transaction.conversations.group(1, of: try transaction.user())
            let post = try #require(try transaction.db.items.find(id, owner: .group(1), at: transaction.now))
            let sent = post.item.meta.itemTimestamp
            func refusal(after seconds: Int64) -> CommentRefusal? {
                CommentRules.refusal(on: post, by: group.membership, in: group, at: sent.adding(seconds: seconds))
            }
            #expect(refusal(after: 0) == nil && refusal(after: 3_600) == nil)
            #expect(refusal(after: 3_601) == .closed)
        }
        await scene.close()
    }
}
