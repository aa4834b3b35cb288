import ChatAPI
import ChatRules
import EncryptedSQLite
import SMPAgent
import SMPWire
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// A victim with the connection over which a hostile client writes to it, and a bystander who is connected with the victim.
struct HostilePlace: Sendable {
    enum Victim: String, CaseIterable, Sendable, CustomTestStringConvertible {
        /// Somebody whose contact the hostile client is.
        case contact
        /// The host of a group, in which the hostile client has come by the link.
        case host
        /// A member of a group, in which the hostile client is another one.
        case member
        /// The relay of a channel, to which the hostile client has subscribed.
        case relay
        /// A subscriber of a channel, whose relay is hostile.
        case subscriber
        /// The owner of a channel, whose relay is hostile.
        case owner

        var testDescription: String { rawValue }
        var inChannel: Bool { self == .relay || hasHostileRelay }
        var hasHostileRelay: Bool { self == .subscriber || self == .owner }
    }

    /// A third person, who gets what the victim passes on.
    struct Bystander: Sendable {
        let core: TestCore
        /// Its id in the group.
        let memberID: MemberID
        /// Its connection with the victim.
        let connection: Bytes
    }

    let victim: Victim
    let core: TestCore
    /// The connection at the victim, by the agent's id.
    let connection: Bytes
    /// The hostile client in the group.
    let attacker: MemberID
    let messages: HostileMessages
    /// The key with which the hostile client signs in a channel.
    let signer: ChannelSigner?
    let bystander: Bystander?
    /// The connection of the address, or of the link of the group, to which requests come.
    var door: Bytes?

    /// What a moderator has deleted before it came, in the states that say so.
    static let early = SharedMessageID(Bytes(repeating: 5, count: 12))

    /// The states in which the victim is attacked.
    var states: [HostileState] {
        switch victim {
        case .contact: HostileState.ofContacts
        case .host, .member: HostileState.ofMembers([.observer, .author, .member, .moderator, .admin, .owner])
        case .relay: HostileState.ofMembers([.observer, .commenter, .author, .member, .moderator, .admin, .owner])
        case .subscriber, .owner: HostileState.ofMembers([.relay])
        }
    }
}

/// Groups, channels and contacts with a hostile client among them, over real connections, at rest.
final class HostileWorld: Sendable {
    let group: GroupScene
    let channel: ChannelScene
    private let world = TestWorld()

    /// The world of tests whose attacks are taken back. It is in memory, at rest, and never closed.
    static func shared() async throws -> HostileWorld { try await made.value }
    private static let made = Task { try await HostileWorld() }

    private static let preferences = #""groupPreferences":{"reactions":{"enable":"on"},"support":{"enable":"on"},"history":{"enable":"on"}}"#
    private static let channelPreferences =
        #""groupPreferences":{"history":{"enable":"on"},"support":{"enable":"on"},"comments":{"enable":"on"},"reactions":{"enable":"on"}}"#

    init() async throws {
        group = try await GroupScene(
            ["alice", "bob", "mallory"], profile: #""displayName":"team","fullName":"",\#(Self.preferences)"#, world: world)
        channel = try await ChannelScene(["ann", "mallory", "mona"], world: world, preferences: Self.channelPreferences)
        _ = try await group["alice"].run("/_address 1")
        _ = try await TestWorld.connect(group["alice"], group["mallory"])
        _ = try await TestWorld.connect(group["alice"], group["bob"])
        try await write()
    }

    /// The owner makes Mona a moderator, so that there is a roster to attack.
    private func promote() async throws {
        let mona = try await channel.member("mona", at: "owner")
        _ = try await channel.owner.run("/_member role #1 \(mona.groupMemberID) moderator")
        for name in ["relay", "ann", "mallory", "mona"] {
            await channel.eventually("\(name) has the roster", at: name) { [channel] in try await channel.info(at: name).rosterVersion == .first.next }
        }
        await channel.eventually("ann knows the moderator", at: "ann") { [channel] in
            await channel.members(at: "ann").contains { $0.memberID == mona.memberID && $0.role == .moderator && $0.signingKey != nil }
        }
    }

    /// Everybody writes something that can be attacked.
    private func write() async throws {
        try await promote()
        for name in group.names {
            try await group.send("\(name)'s words", as: name)
            for other in group.names { await group.expect("\(name)'s words", at: other) }
        }
        try await group.send("mallory's question", as: "mallory", scope: "(_support)")
        await group.eventually("the question has come", at: "alice") { [group] in
            try await group["alice"].native.engine.store.read { try $0.number("SELECT count(*) FROM chat_items WHERE item_text = 'mallory''s question'") == 1 }
        }
        for (one, two) in [("alice", "mallory"), ("mallory", "alice")] {
            let contact = try #require(try await contact(two, at: group[one]))
            _ = try await group[one].send("\(one) to \(two)", to: contact)
            await group.eventually("the message has come", at: two) { [group] in
                try await group[two].native.engine.store.read {
                    try $0.number("SELECT count(*) FROM chat_items WHERE item_text = ?", ["\(one) to \(two)"]) == 1
                }
            }
        }
        try await channel.post("the post")
        for name in ["ann", "mallory", "mona"] { await channel.expect("the post", at: name) }
        for name in ["ann", "mallory"] {
            try await channel.comment("\(name)'s comment", on: "the post", as: name)
            for other in ["relay", "ann", "mallory"] {
                await channel.eventually("the comment has come", at: other) { [channel] in
                    try await channel[other].native.engine.store.read {
                        try $0.number("SELECT count(*) FROM chat_items WHERE item_text = ?", ["\(name)'s comment"]) == 1
                    }
                }
            }
        }
        for core in cores {
            let isAtRest = await core.eventually {
                (try? await core.native.engine.store.read {
                    try $0.number("SELECT count(*) FROM deliveries WHERE done = 0") == 0 && $0.number("SELECT count(*) FROM agent_work") == 0
                        && $0.number("SELECT count(*) FROM relay_tasks") == 0 && $0.number("SELECT count(*) FROM relay_jobs") == 0
                }) ?? false
            }
            try #require(isAtRest, "the scene is not at rest")
        }
    }

    private var cores: [TestCore] { group.names.map { group[$0] } + ["owner", "relay", "ann", "mallory", "mona"].map { channel[$0] } }

    func close() async {
        await group.close()
        await channel.close()
    }

    // MARK: Victims

    func place(_ victim: HostilePlace.Victim) async throws -> HostilePlace {
        var place = try await attackedPlace(victim)
        switch victim {
        case .contact: place.door = try await connection("kind = 'address'", at: place.core)
        case .host, .relay: place.door = try await connection("kind = 'groupLink'", at: place.core)
        case .member, .subscriber, .owner: break
        }
        return place
    }

    private func attackedPlace(_ victim: HostilePlace.Victim) async throws -> HostilePlace {
        switch victim {
        case .contact:
            let contact = try #require(try await contact("mallory", at: group["alice"]))
            return HostilePlace(
                victim: victim, core: group["alice"], connection: try await connection("contact_id = \(contact)", at: group["alice"]),
                attacker: try await memberID(at: group["mallory"]),
                messages: try await groupMessages(victim: "alice", bystander: "bob"), signer: nil, bystander: nil)
        case .host:
            return HostilePlace(
                victim: victim, core: group["alice"], connection: try await connection(with: "mallory", at: group["alice"]),
                attacker: try await memberID(at: group["mallory"]), messages: try await groupMessages(victim: "alice", bystander: "bob"), signer: nil,
                bystander: HostilePlace.Bystander(
                    core: group["bob"], memberID: try await memberID(at: group["bob"]), connection: try await connection(with: "alice", at: group["bob"])))
        case .member:
            return HostilePlace(
                victim: victim, core: group["bob"], connection: try await connection(with: "mallory", at: group["bob"]),
                attacker: try await memberID(at: group["mallory"]), messages: try await groupMessages(victim: "bob", bystander: "alice"), signer: nil,
                bystander: nil)
        case .relay:
            return HostilePlace(
                victim: victim, core: channel["relay"], connection: try await connection(with: "mallory", at: channel["relay"]),
                attacker: try await memberID(at: channel["mallory"]),
                messages: try await channelMessages(attacker: "mallory", victim: "relay"), signer: ChannelSigner(try await channel.info(at: "mallory")),
                bystander: HostilePlace.Bystander(
                    core: channel["ann"], memberID: try await memberID(at: channel["ann"]), connection: try await connection(with: "relay", at: channel["ann"]))
            )
        case .subscriber:
            return HostilePlace(
                victim: victim, core: channel["ann"], connection: try await connection(with: "relay", at: channel["ann"]),
                attacker: try await memberID(at: channel["relay"]),
                messages: try await channelMessages(attacker: "relay", victim: "ann"), signer: ChannelSigner(try await channel.info(at: "relay")),
                bystander: nil)
        case .owner:
            return HostilePlace(
                victim: victim, core: channel.owner, connection: try await connection(with: "relay", at: channel.owner),
                attacker: try await memberID(at: channel["relay"]),
                messages: try await channelMessages(attacker: "relay", victim: "owner"), signer: ChannelSigner(try await channel.info(at: "relay")),
                bystander: nil)
        }
    }

    // MARK: Over real connections

    /// The hostile client's end of the connection with a victim.
    func line(to victim: HostilePlace.Victim) async throws -> HostileLine {
        switch victim {
        case .contact:
            let contact = try #require(try await contact("alice", at: group["mallory"]))
            return HostileLine(core: group["mallory"], connection: try await connection("contact_id = \(contact)", at: group["mallory"]))
        case .host: return HostileLine(core: group["mallory"], connection: try await connection(with: "alice", at: group["mallory"]))
        case .member: return HostileLine(core: group["mallory"], connection: try await connection(with: "bob", at: group["mallory"]))
        case .relay: return HostileLine(core: channel["mallory"], connection: try await connection(with: "relay", at: channel["mallory"]))
        case .subscriber: return HostileLine(core: channel["relay"], connection: try await connection(with: "ann", at: channel["relay"]))
        case .owner: return HostileLine(core: channel["relay"], connection: try await connection(with: "owner", at: channel["relay"]))
        }
    }

    /// Somebody who talks with a victim. By way of the relay, it is the owner who posts.
    func friend(of victim: HostilePlace.Victim) async throws -> HonestFriend {
        if victim == .relay {
            return HonestFriend(send: { [channel] in _ = try await channel.post($0) }, receiver: channel["ann"], close: {})
        }
        let receiver = victim == .owner ? channel.owner : victim == .subscriber ? channel["ann"] : victim == .member ? group["bob"] : group["alice"]
        let core = try await world.open(agent: .light)
        _ = try await core.createUser("friend")
        let (contact, _) = try await TestWorld.connect(core, receiver)
        return HonestFriend(send: { _ = try await core.send($0, to: contact) }, receiver: receiver, close: { await core.close() })
    }

    private func contact(_ name: String, at core: TestCore) async throws -> ContactID? {
        try await core.native.engine.store.read {
            try $0.firstID(
                """
                SELECT c.contact_id FROM contacts c JOIN profiles p USING (profile_id) JOIN connections cn ON cn.contact_id = c.contact_id
                WHERE p.display_name = ? AND cn.status = 'ready'
                """, [name])
        }
    }

    private func connection(_ condition: String, at core: TestCore) async throws -> Bytes {
        try #require(
            try await core.native.engine.store.read {
                try $0.first("SELECT agent_connection_id FROM connections WHERE \(condition) ORDER BY connection_id DESC LIMIT 1") { $0.bytes() }
            })
    }

    private func connection(with member: String, at core: TestCore) async throws -> Bytes {
        try await connection(
            """
            group_member_id = (SELECT m.group_member_id FROM group_members m JOIN profiles p USING (profile_id)
                WHERE p.display_name = '\(member)' AND m.category <> 'user')
            """, at: core)
    }

    private func memberID(at core: TestCore) async throws -> MemberID {
        MemberID(
            try #require(
                try await core.native.engine.store.read { try $0.first("SELECT member_id FROM group_members WHERE category = 'user'") { $0.bytes() } }))
    }

    private func shared(_ text: String, at core: TestCore) async throws -> SharedMessageID {
        SharedMessageID(
            try #require(
                try await core.native.engine.store.read {
                    try $0.first("SELECT shared_msg_id FROM chat_items WHERE item_text = ? AND shared_msg_id IS NOT NULL", [text]) { $0.bytes() }
                }, "\(text)"))
    }

    private static let stranger = MemberID(Bytes(repeating: 9, count: 12))

    private func groupMessages(victim: String, bystander: String) async throws -> HostileMessages {
        let alice = group["alice"]
        return HostileMessages(
            people: [
                "the attacker": try await memberID(at: group["mallory"]), "the victim": try await memberID(at: group[victim]),
                "the bystander": try await memberID(at: group[bystander]), "a stranger": Self.stranger,
            ],
            texts: [
                "the attacker's words": try await shared("mallory's words", at: alice),
                "the attacker's question": try await shared("mallory's question", at: alice),
                "the victim's words": try await shared("\(victim)'s words", at: alice),
                "the bystander's words": try await shared("\(bystander)'s words", at: alice),
                "the attacker's direct words": try await shared("mallory to alice", at: alice),
                "the victim's direct words": try await shared("alice to mallory", at: alice), "what a moderator has deleted": HostilePlace.early,
                "what has not come": SharedMessageID(Bytes(repeating: 6, count: 12)),
            ], profile: try await group.info(at: "alice").groupProfile)
    }

    private func channelMessages(attacker: String, victim: String) async throws -> HostileMessages {
        let relay = channel["relay"]
        return HostileMessages(
            people: [
                "the attacker": try await memberID(at: channel[attacker]), "the victim": try await memberID(at: channel[victim]),
                "the bystander": try await memberID(at: channel[victim == "ann" ? "mallory" : "ann"]),
                "the owner": try await memberID(at: channel.owner), "the moderator": try await memberID(at: channel["mona"]),
                "a stranger": Self.stranger,
            ],
            texts: [
                "the post": try await shared("the post", at: relay), "the attacker's comment": try await shared("mallory's comment", at: relay),
                "the bystander's words": try await shared("ann's comment", at: relay), "what a moderator has deleted": HostilePlace.early,
                "what has not come": SharedMessageID(Bytes(repeating: 6, count: 12)),
            ], profile: try await channel.info(at: "relay").groupProfile)
    }
}
