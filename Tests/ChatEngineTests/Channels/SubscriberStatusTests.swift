import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// What subscribers of a channel may do by their status, at the relay and at another subscriber, who gets it from the relay.
@Suite("Rights of subscribers by their status")
struct SubscriberStatusTests {
    /// The place at which messages are received.
    enum Place: String, CaseIterable, Sendable { case relay, subscriber }

    /// A channel with a post, which Mallory has commented.
    private struct Channel {
        let scene: RuleScene
        let members: [String: GroupMemberID]
        let mallory: MemberID
        let post: SharedMessageID, comment: SharedMessageID
        let place: Place

        init(at place: Place) async throws {
            let scene = try await RuleScene()
            let members = try await scene.addGroup(as: .relay, with: ["owner": .owner, "relay": .relay, "mallory": .commenter]) { preferences in
                for feature in [GroupFeature.reactions, .comments] { preferences.set(feature, .on) }
            }
            try await scene.updateApps()
            let mallory = try await scene.run { transaction in
                try transaction.db.groups.update(RuleScene.group, usesRelays: true, ownStatus: place == .relay ? .accepted : nil, publicMemberCount: nil)
                if place == .subscriber {
                    let own = try transaction.conversations.group(RuleScene.group, of: try transaction.user()).membership.groupMemberID
                    try transaction.db.members.update(own, role: .commenter, at: transaction.now)
                    try transaction.db.members.update(
                        members["relay"] ?? 0, category: .host, invitedBy: nil, versions: ChatVersionRange(ChatVersions.supported))
                }
                return try #require(try transaction.db.members.memberIdentifier(members["mallory"] ?? 0))
            }
            (post, comment) = (.random(), .random())
            (self.scene, self.members, self.mallory, self.place) = (scene, members, mallory, place)
            var posted = MessageContainer(content: .text("the post"))
            posted.asGroup = true
            switch place {
            case .relay: try await scene.receive([.newMessage(posted)], from: .member(members["owner"] ?? 0), id: post)
            case .subscriber:
                let forward = MessageForward(sender: .channel, brokerTimestamp: MemoryStore.now)
                try await scene.receive(
                    [.forwardMessage(forward, ChatMessage(messageID: post, event: .newMessage(posted)))], from: .member(members["relay"] ?? 0))
            }
            _ = try await outcome(of: .newMessage(container(commenting: "a comment")), id: comment)
            try #require(try await scene.count("chat_items WHERE parent_item_id IS NOT NULL") == 1)
        }

        func container(commenting text: String) -> MessageContainer {
            var container = MessageContainer(content: .text(text))
            container.parent = MessageReference(messageID: post, sentAt: MemoryStore.now, sent: false, memberID: nil)
            return container
        }

        /// What Mallory may do with its comment, and what it may not do at all.
        var attacks: [(name: String, event: ChatMessageEvent)] {
            let thumb = MessageReaction.emoji(ReactionEmoji.allCases[0])
            var asGroup = MessageContainer(content: .text("attack"))
            asGroup.asGroup = true
            var editAsGroup = MessageUpdate(messageID: post, content: .text("attack"))
            editAsGroup.asGroup = true
            var closing = MessageUpdate(messageID: post, content: .text("the post"))
            closing.preferences = MessagePreferences(commentsDisabled: true)
            return [
                ("comments", .newMessage(container(commenting: "attack"))), ("posts", .newMessage(MessageContainer(content: .text("attack")))),
                ("posts as the channel", .newMessage(asGroup)), ("edits the post", .updateMessage(editAsGroup)),
                ("edits its comment", .updateMessage(MessageUpdate(messageID: comment, content: .text("attack")))),
                ("deletes the post", .deleteMessage(MessageDeletion(messageID: post))),
                ("reacts to its comment", react(comment, mallory, thumb)), ("reacts to what may come", react(.random(), mallory, thumb)),
                ("closes the comments", .updateMessage(closing)),
                (
                    "describes a file",
                    .fileDescription(messageID: comment, FileDescription(text: "attack", partNumber: 1, isComplete: true))
                ), ("cancels a file", .cancelFile(messageID: comment)),
                ("deletes its comment", .deleteMessage(MessageDeletion(messageID: comment))),
                ("deletes its comment as a moderator", .deleteMessage(MessageDeletion(messageID: comment, memberID: mallory))),
            ]
        }

        private func react(_ id: SharedMessageID, _ author: MemberID, _ reaction: MessageReaction) -> ChatMessageEvent {
            .react(MessageReactionChange(messageID: id, memberID: author, scope: nil, reaction: reaction, add: true))
        }

        /// What an event of Mallory changes. At a relay, it includes what the relay is going to pass on.
        func outcome(of event: ChatMessageEvent, id: SharedMessageID = .random()) async throws -> [String: [String]] {
            let before = try await scene.run { try StoreSnapshot($0.db) }
            switch place {
            case .relay: try await scene.receive([event], from: .member(members["mallory"] ?? 0), id: id)
            case .subscriber:
                let forward = MessageForward(sender: .member(mallory, name: "mallory"), brokerTimestamp: MemoryStore.now)
                try await scene.receive([.forwardMessage(forward, ChatMessage(messageID: id, event: event))], from: .member(members["relay"] ?? 0))
            }
            return try await scene.run { try StoreSnapshot($0.db) }.changes(since: before)
        }

        func set(_ status: GroupMemberStatus, isBlocked: Bool = false, role: GroupMemberRole = .commenter) async throws {
            let id = members["mallory"] ?? 0
            try await scene.run { transaction in
                try transaction.db.members.update(id, status: status, at: transaction.now)
                try transaction.db.members.update(id, role: role, at: transaction.now)
                try transaction.db.members.update(id, isBlocked: isBlocked, at: transaction.now)
            }
        }
    }

    @Test("who is not in the channel, or waits, changes nothing, and nothing of it is passed on", arguments: Place.allCases)
    func outside(_ place: Place) async throws {
        var statuses: [GroupMemberStatus] = [.removed, .groupDeleted, .invited, .pendingApproval, .pendingReview]
        // What a subscriber wrote before it left may come by another relay.
        if place == .relay { statuses.append(.left) }
        for role in [GroupMemberRole.commenter, .owner] {
            let channel = try await Channel(at: place)
            for status in statuses {
                try await channel.set(status, role: role)
                // Who waits writes to the moderators.
                for attack in channel.attacks where attack.name != "posts" {
                    let changes = try await channel.outcome(of: attack.event)
                    #expect(changes.isEmpty, "\(status.rawValue) \(role.code) \(attack.name) at the \(place.rawValue): \(changes)")
                }
            }
            try await channel.scene.close()
        }
    }

    @Test("a missing signature of somebody who is not in the channel leaves no note in it", arguments: Place.allCases)
    func unsigned(_ place: Place) async throws {
        let channel = try await Channel(at: place)
        let unsigned: [ChatMessageEvent] = [
            .memberRole(memberID: channel.mallory, .owner), .removeMember(memberID: channel.mallory, withMessages: true), .deleteGroup,
        ]
        for status in [GroupMemberStatus.removed, .groupDeleted, .invited] + (place == .relay ? [.left] : []) {
            try await channel.set(status)
            for event in unsigned {
                let changes = try await channel.outcome(of: event)
                #expect(changes.isEmpty, "\(status.rawValue) \(event.tag) at the \(place.rawValue): \(changes)")
            }
        }
        try await channel.set(.connected)
        #expect(try await channel.outcome(of: unsigned[0])["chat_items"]?.count == 1, "a member's is noted")
        try await channel.scene.close()
    }

    @Test("who is blocked for all changes nothing in sight, and nothing of it is passed on", arguments: Place.allCases)
    func blocked(_ place: Place) async throws {
        for role in [GroupMemberRole.commenter, .owner] {
            let channel = try await Channel(at: place)
            try await channel.set(.connected, isBlocked: true, role: role)
            for attack in channel.attacks {
                let changes = try await channel.outcome(of: attack.event)
                #expect(changes["relay_tasks"] == nil, "\(role.code) \(attack.name): \(changes)")
                guard !["comments", "posts", "posts as the channel"].contains(attack.name) else { continue }
                #expect(changes.isEmpty, "\(role.code) \(attack.name) at the \(place.rawValue): \(changes)")
            }
            #expect(try await channel.scene.count("chat_items WHERE item_text LIKE '%attack%' AND deleted = 0") == 0)
            try await channel.scene.close()
        }
    }

    @Test("a subscriber does with its comment what it may, and nothing with the post", arguments: Place.allCases)
    func connected(_ place: Place) async throws {
        let channel = try await Channel(at: place)
        let free: Set<String> = ["comments", "edits its comment", "deletes its comment", "reacts to its comment"]
        let others: Set<String> = ["describes a file", "cancels a file", "deletes its comment as a moderator", "reacts to what may come"]
        for attack in channel.attacks where !others.contains(attack.name) {
            let changes = try await channel.outcome(of: attack.event)
            #expect(changes.isEmpty != free.contains(attack.name), "\(attack.name) at the \(place.rawValue): \(changes)")
        }
        try await channel.scene.close()
    }
}
