import ChatProtocol
import TestSupport
import Testing

/// A channel with a subscriber, a writer and a moderator of each make.
struct MatrixChannel: Sendable {
    let broadcast: Broadcast
    let way: MatrixWay
    /// Those who only read.
    let readers: [any Party]
    let writers: [any Party]
    let moderators: [any Party]

    /// All but the owner and the relay.
    var everybody: [any Party] { readers + writers + moderators }

    /// Makes the parties and the channel. Nobody subscribes yet.
    static func prepare(_ way: MatrixWay) async throws -> MatrixChannel {
        let server = try await way.router.router()
        func parties(_ name: String) async throws -> [any Party] {
            var found: [any Party] = []
            for make in Make.allCases { found.append(try await make.party(name + make.suffix, server: server)) }
            return found
        }
        let relay = try await way.second.relay(server: server)
        let owner = try await way.first.party("hanna", server: server)
        let ids = try await owner.configure([relay])
        let made = try await owner.send("/_public group 1 \(ids[0]) \(JSONValue.object(Broadcast.profile).text)")
        let link = try Link(made["groupLink"]?["connLinkContact"])
        try await owner.event("groupLinkDataUpdated") { $0["groupRelays"]?[0]?["relayStatus"]?.stringValue == "active" ? true : nil }
        let broadcast = Broadcast(owner: owner, relays: [relay], subscribers: [], link: link)
        return MatrixChannel(
            broadcast: broadcast, way: way, readers: try await parties("reader"), writers: try await parties("writer"),
            moderators: try await parties("mod"))
    }

    func subscribe(_ party: any Party) async throws {
        try await broadcast.subscribe(party)
        try await party.event("userJoinedGroup")
        try await broadcast.untilConnected(party, with: 1)
    }

    /// Gives a role, and waits until the member and the relay know it.
    func promote(_ party: any Party, to role: String) async throws {
        let owner = broadcast.owner
        try await eventually("the owner knows \(party.name)", within: .seconds(60), every: .milliseconds(100)) {
            try await broadcast.members(at: owner).contains { $0["memberProfile"]?["displayName"]?.stringValue == party.name }
        }
        try await owner.send("/_member role #1 \(try await broadcast.memberID(party.name, at: owner)) \(role)")
        try await eventually("\(party.name) is \(role)", within: .seconds(60), every: .milliseconds(100)) {
            try await party.send("/_info #1")["groupInfo"]?["membership"]?["memberRole"]?.stringValue == role
        }
    }

    func say(_ text: String, as party: any Party) async throws {
        let message: JSONValue = [["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]]
        try await party.send("/_send #1 json \(message.text)")
    }

    /// Waits until a text of a writer has come under its name.
    func hear(_ text: String, from author: String, as party: any Party) async throws {
        let item = try await broadcast.hear(text, as: party)
        let shown = item["chatDir"]?["groupMember"]?["memberProfile"]?["displayName"]?.stringValue
        try #require(shown == author, "\(party.name) takes \(shown ?? "nobody") for the author")
    }

    func block(_ writer: any Party, by moderator: any Party) async throws {
        try await moderator.send("/_block #1 \(try await broadcast.memberID(writer.name, at: moderator)) blocked=on")
    }

    func expectBlocked(_ name: String, at party: any Party) async throws {
        try await eventually("\(party.name) knows that \(name) is blocked", within: .seconds(60), every: .milliseconds(100)) {
            try await broadcast.members(at: party).contains {
                $0["memberProfile"]?["displayName"]?.stringValue == name && $0["blockedByAdmin"]?.boolValue == true
            }
        }
    }

    /// True if owner and relay know rosters. In other channels, subscribers do not learn who writes and moderates, and moderators do not know the writers.
    var hasRoster: Bool { way.first != .previous && way.second != .previous }

    /// Those who learn who writes and moderates.
    var informed: [any Party] { (hasRoster ? everybody : []) + [broadcast.owner] }

    func close() async throws {
        for party in everybody { try await party.leave() }
        try await broadcast.close()
    }
}
