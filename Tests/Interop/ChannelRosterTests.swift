import ChatProtocol
import OfficialPeers
import TestSupport
import Testing

extension Interop {
    /// Channels whose members, moderators and admins are those of a roster that the owner signs. Official clients know rosters from version 7.0 on.
    @Suite(.enabled("the official client is of a version before 7.0") { try await peersKnowRosters() })
    struct Rosters {
        /// A channel with a writer and a moderator of one make, and readers of both makes, those of before and those who come later.
        @Test(arguments: RosterWay.allCases)
        func `Writers post under their own names and moderators moderate, at everybody`(_ way: RosterWay) async throws {
            let server = try await Stage.shared.router(.parley).address
            try await seen("channel with a roster: handshake of owner and relay", way.who, through: .parley) {
                let channel = try await Broadcast.prepare(ownedBy: way.owner, relayedBy: [way.relay], server: server)
                try await channel.subscribeAll()
                let writer = try #require(channel.subscribers.first { $0.implementation == way.member })
                let reader = try #require(channel.subscribers.first { $0.implementation != way.member })
                let moderator = try await way.member.party("mona", servers: [server])
                try await channel.subscribe(moderator)
                try await moderator.event("userJoinedGroup")
                let feature = "channel with a roster: a writer's post under its own name, a moderator's block"
                try await seen(feature, way.who, through: .parley) {
                    try await promote(writer, to: "member", in: channel)
                    try await promote(moderator, to: "moderator", in: channel)
                    try await post("by the writer", writer)
                    for party in [channel.owner, reader, moderator] { try await hear("by the writer", as: party, from: writer) }
                    for implementation in Implementation.allCases {
                        let late = try await implementation.party("lena\(implementation == .official ? "o" : "p")", servers: [server])
                        try await channel.subscribe(late)
                        try await late.event("userJoinedGroup")
                        try await eventually("\(late.name) knows the moderator", within: .seconds(60), every: .milliseconds(100)) {
                            try await channel.members(at: late).contains { $0["memberRole"]?.stringValue == "moderator" && $0["memberPubKey"] != nil }
                        }
                        try await post("for \(late.name)", writer)
                        for party in [late, reader] { try await hear("for \(late.name)", as: party, from: writer) }
                        guard implementation == .parley else {
                            try await late.leave()
                            continue
                        }
                        let id = try await channel.memberID(writer.name, at: moderator)
                        try await moderator.send("/_block #1 \(id) blocked=on")
                        for party in [late, reader, channel.owner] {
                            try await party.event("memberBlockedForAll") { $0["msgSigned"]?.stringValue == "verified" || $0["msgVerified"] != nil ? true : nil }
                        }
                        try await late.leave()
                    }
                }
                try await moderator.leave()
                try await channel.close()
            }
        }

        private func promote(_ party: any Party, to role: String, in channel: Broadcast) async throws {
            let id = try await channel.memberID(party.name, at: channel.owner)
            try await channel.owner.send("/_member role #1 \(id) \(role)")
            try await eventually("\(party.name) is \(role)", within: .seconds(60), every: .milliseconds(100)) {
                try await party.send("/_info #1")["groupInfo"]?["membership"]?["memberRole"]?.stringValue == role
            }
        }

        private func post(_ text: String, _ party: any Party) async throws {
            let message: JSONValue = [["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]]
            try await party.send("/_send #1 json \(message.text)")
        }

        private func hear(_ text: String, as party: any Party, from writer: any Party) async throws {
            let author = try await party.event("newChatItems") { event in
                event["chatItems"]?.arrayValue?.lazy.compactMap { $0["chatItem"] }.first { $0.isReceived && $0.itemText == text }
            }["chatDir"]?["groupMember"]?["memberProfile"]?["displayName"]?.stringValue
            try #require(author == writer.name, "\(party.name) takes \(author ?? "nobody") for the author")
        }

        @Test(arguments: RosterWay.allCases.filter { $0.member == .official })
        func `A relay that comes to a running channel takes the moderator, and subscribers come to it at once`(_ way: RosterWay) async throws {
            let server = try await Stage.shared.router(.parley).address
            try await seen("channel with a roster: a relay added, subscribers and a moderator come at once", way.who, through: .parley) {
                let channel = try await Broadcast.prepare(ownedBy: way.owner, relayedBy: [way.relay], server: server)
                try await channel.subscribeAll()
                let moderator = channel.subscribers[0]
                try await promote(moderator, to: "moderator", in: channel)
                let added = try await RelayParty.start(way.relay.other, servers: [server])
                let ids = try await channel.owner.configure(channel.relays + [added])
                try await channel.owner.send("/_add relays #1 \(try #require(ids.last))")
                for party in channel.subscribers { try await channel.untilConnected(party, with: 2) }
                try await eventually("the new relay knows the moderator", within: .seconds(60), every: .milliseconds(100)) {
                    try await channel.members(at: added).contains {
                        $0["memberProfile"]?["displayName"]?.stringValue == moderator.name && $0["memberRole"]?.stringValue == "moderator"
                            && $0["memberStatus"]?.stringValue == "connected"
                    }
                }
                try await channel.post("by both")
                for party in channel.subscribers { try await channel.hear("by both", as: party) }
                try await added.leave()
                try await channel.close()
            }
        }

        @Test(arguments: RosterWay.allCases.filter { $0.owner != $0.relay && $0.member == .official })
        func `A relay that has left refuses the channel until it is allowed, and its owner sees that`(_ way: RosterWay) async throws {
            let server = try await Stage.shared.router(.parley).address
            try await seen("relay that has left: refuses the channel, is allowed, serves again", "owner \(way.owner), relay \(way.relay)", through: .parley) {
                let channel = try await Broadcast.prepare(ownedBy: way.owner, relayedBy: [way.relay], server: server)
                let relay = channel.relays[0], id = try await channel.owner.configure(channel.relays)[0]
                let left = try await relay.send("/_leave #1")
                try #require(left["groupInfo"]?["relayOwnStatus"]?.stringValue == "rejected", "\(left.text)")
                try await expectRelays(["inactive"], of: channel)
                // Official owners remove a relay before they invite it again.
                let keepsRelays = way.owner == .parley
                if !keepsRelays { try await channel.owner.send("/_remove #1 \(try await channel.memberID(relay.name, at: channel.owner))") }
                try await channel.owner.send("/_add relays #1 \(id)")
                try await expectRelays(keepsRelays ? ["inactive", "rejected"] : ["rejected"], of: channel)
                try await eventually("the relay keeps no record of the invitation", within: .seconds(60), every: .milliseconds(100)) {
                    try await relay.send("/_groups 1")["groups"]?.arrayValue?.count == 1
                }
                let allowed = try await relay.send("/_relay allow #1")
                try #require(allowed["type"]?.stringValue == "relayGroupAllowed", "\(allowed.text)")
                try #require(allowed["groupInfo"]?["relayOwnStatus"]?.stringValue == "inactive", "\(allowed.text)")
                if !keepsRelays {
                    let members = try await channel.members(at: channel.owner)
                    let left = members.filter { $0["memberRole"]?.stringValue == "relay" && $0["memberStatus"]?.stringValue == "left" }
                    for member in left { try await channel.owner.send("/_remove #1 \(try #require(member["groupMemberId"]?.intValue))") }
                }
                try await channel.owner.send("/_add relays #1 \(id)")
                try await expectRelays(keepsRelays ? ["inactive", "rejected", "active"] : ["active"], of: channel)
                try await channel.close()
            }
        }

        private func expectRelays(_ statuses: [String], of channel: Broadcast) async throws {
            try await eventually("the relays are \(statuses)", within: .seconds(60), every: .milliseconds(100)) {
                let relays = try await channel.owner.send("/_get relays #1")["groupRelays"]?.arrayValue ?? []
                return relays.compactMap { $0["relayStatus"]?.stringValue } == statuses
            }
        }
    }
}

/// True if the official client is of version 7.0 or later.
func peersKnowRosters() async throws -> Bool {
    guard PeerProgram.simplexChat.isInstalled else { return false }
    let version = try await PeerProgram.simplexChat.version()
    let major = version.split { !$0.isNumber }.first.flatMap { Int($0) }
    return major.map { $0 >= 7 } ?? false
}

/// The makes of the owner, the relay, and the writer and moderator of a channel.
struct RosterWay: Sendable, CustomTestStringConvertible {
    let owner, relay, member: Implementation

    static let allCases = Implementation.allCases.flatMap { owner in
        Implementation.allCases.flatMap { relay in Implementation.allCases.map { RosterWay(owner: owner, relay: relay, member: $0) } }
    }

    var who: String { "owner \(owner), relay \(relay), writer and moderator \(member)" }
    var testDescription: String { who }
}
