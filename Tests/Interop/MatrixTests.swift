import ChatProtocol
import OfficialPeers
import TestSupport
import Testing

extension Interop {
    /// Every role with the official programs of two releases and with Parley, through the routers of all three.
    @Suite(
        .enabled(
            if: PeerRelease.allCases.allSatisfy { PeerProgram.simplexChat.isInstalled(in: $0) && PeerProgram.smpServer.isInstalled(in: $0) },
            "SIMPLEX_PEERS and SIMPLEX_PREVIOUS_PEERS do not name the programs of two releases"),
        .matrix)
    struct Matrix {
        @Test(arguments: MatrixWay.allCases)
        func `Contacts talk, answer, change, react and delete`(_ way: MatrixWay) async throws {
            try await MatrixOutcomes.shared.seen([("contact, owner of the address", way.first), ("contact, visitor", way.second)], through: way.router) {
                let server = try await way.router.router()
                async let coming = way.second.party("vera", server: server)
                let owner = try await way.first.party("ottilie", server: server), visitor = try await coming
                let link = try await owner.address()
                try await owner.send(#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#)
                try await visitor.send("/c \(try #require(link.short))")
                let sides = [
                    Side(party: owner, contact: try await owner.connected(to: visitor.name)),
                    Side(party: visitor, contact: try await visitor.connected(to: owner.name)),
                ]
                for (sender, receiver) in [(sides[0], sides[1]), (sides[1], sides[0])] { try await converse(sender, receiver, by: sender.party.name) }
                for party in [owner, visitor] { try await party.leave() }
            }
        }

        private func converse(_ sender: Side, _ receiver: Side, by name: String) async throws {
            let sent = try await sender.say("first by \(name)")
            let heard = try #require(try await receiver.hear("first by \(name)").itemID)
            try await sender.receipt(of: sent)
            try await receiver.say("to \(name)", quoting: heard)
            let quote = try await sender.hear("to \(name)")["quotedItem"]
            try #require(quote?["itemId"]?.intValue == sent)
            let changed: JSONValue = ["msgContent": ["type": "text", "text": .string("second by \(name)")], "mentions": [:]]
            try await sender.party.send("/_update item @\(sender.contact) \(sent) json \(changed.text)")
            _ = try await receiver.item("chatItemUpdated") { $0.itemText == "second by \(name)" && $0.itemID == heard }
            try await receiver.party.send(##"/_reaction @\##(receiver.contact) \##(heard) on {"type":"emoji","emoji":"🚀"}"##)
            try await sender.party.event("chatItemReaction") { $0["reaction"]?["chatReaction"]?["chatItem"]?.itemID == sent ? true : nil }
            try await sender.party.send("/_delete item @\(sender.contact) \(sent) broadcast")
            try await receiver.party.event("chatItemsDeleted") { event in
                event["chatItemDeletions"]?.arrayValue?.contains { $0["deletedChatItem"]?["chatItem"]?.itemID == heard } == true ? true : nil
            }
        }

        /// The first make hosts, the second moderates, and there is a member of each make.
        @Test(arguments: MatrixWay.allCases)
        func `Members of a group talk, and a moderator deletes, blocks and unblocks`(_ way: MatrixWay) async throws {
            let roles = [("group, host", way.first), ("group, moderator", way.second)] + Make.allCases.map { ("group, member", $0) }
            try await MatrixOutcomes.shared.seen(roles, through: way.router) {
                let group = try await MatrixGroup.prepare(way)
                for member in [group.moderator] + group.members { try await group.join(member) }
                try await group.untilAllMet()
                try await group.host.send("/_member role #1 \(try await group.memberID(group.moderator.name, at: group.host)) moderator")
                for party in group.parties {
                    try await eventually("\(party.name) knows the moderator", within: .seconds(60), every: .milliseconds(100)) {
                        let knows = try await group.role(group.moderator.name, at: party)
                        return knows == "moderator"
                    }
                }
                for party in group.parties {
                    try await group.say("by \(party.name)", as: party)
                    for reader in group.parties where reader.name != party.name { try await group.hear("by \(party.name)", from: party.name, as: reader) }
                }
                for author in group.members {
                    let item = try await group.itemID("by \(author.name)", at: group.moderator)
                    try await group.moderator.send("/_delete member item #1 \(item)")
                    for reader in group.parties where reader.name != group.moderator.name {
                        try await eventually("\(reader.name) sees the message of \(author.name) as moderated", within: .seconds(60), every: .milliseconds(100))
                        {
                            try await group.mark("by \(author.name)", at: reader) == "moderated"
                        }
                    }
                }
                for isBlocked in [true, false] {
                    let blocked = group.members[0], text = isBlocked ? "while blocked" : "free again"
                    let id = try await group.memberID(blocked.name, at: group.moderator)
                    try await group.moderator.send("/_block #1 \(id) blocked=\(isBlocked ? "on" : "off")")
                    let readers = group.parties.filter { $0.name != blocked.name }
                    for reader in readers {
                        try await eventually("\(reader.name) knows", within: .seconds(60), every: .milliseconds(100)) {
                            try await group.members(at: reader)[blocked.name]?["blockedByAdmin"]?.boolValue == isBlocked
                        }
                    }
                    try await group.say(text, as: blocked)
                    for reader in readers {
                        let mark = try await group.hear(text, from: blocked.name, as: reader)["meta"]?["itemDeleted"]?["type"]?.stringValue
                        try #require(mark == (isBlocked ? "blockedByAdmin" : nil), "what \(reader.name) sees")
                    }
                }
                try await group.close()
            }
        }

        /// The first make owns, the second relays, and there is a subscriber, a writer and a moderator of each make.
        @Test(arguments: MatrixWay.allCases)
        func `Subscribers read a channel, writers post, and moderators delete and block`(_ way: MatrixWay) async throws {
            let others = ["channel, subscriber", "channel, writer", "channel, moderator"].flatMap { role in Make.allCases.map { (role, $0) } }
            try await MatrixOutcomes.shared.seen([("channel, owner", way.first), ("channel, relay", way.second)] + others, through: way.router) {
                let channel = try await MatrixChannel.prepare(way)
                for party in channel.everybody { try await channel.subscribe(party) }
                try await channel.broadcast.post("by the channel")
                for party in channel.everybody { try await channel.broadcast.hear("by the channel", as: party) }
                for writer in channel.writers { try await channel.promote(writer, to: "member") }
                for moderator in channel.moderators { try await channel.promote(moderator, to: "moderator") }
                for writer in channel.writers {
                    try await channel.say("by \(writer.name)", as: writer)
                    for reader in channel.informed where reader.name != writer.name {
                        try await channel.hear("by \(writer.name)", from: writer.name, as: reader)
                    }
                }
                for (moderator, writer) in zip(channel.moderators, channel.writers) where channel.hasRoster {
                    try await channel.block(writer, by: moderator)
                    for reader in channel.informed where reader.name != moderator.name && reader.name != writer.name {
                        try await channel.expectBlocked(writer.name, at: reader)
                    }
                }
                try await channel.close()
            }
        }
    }
}
