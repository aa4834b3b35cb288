import ChatProtocol
import TestSupport
import Testing

/// A group with a host, a moderator, and a member of each make.
struct MatrixGroup: Sendable {
    let host, moderator: any Party
    let members: [any Party]
    /// The link of the group.
    let link: String

    var parties: [any Party] { [host, moderator] + members }

    /// Makes the parties, and the group with its link. Nobody joins yet.
    static func prepare(_ way: MatrixWay) async throws -> MatrixGroup {
        let server = try await way.router.router()
        async let host = way.first.party("hanna", server: server)
        async let moderator = way.second.party("mona", server: server)
        var members: [any Party] = []
        for make in Make.allCases { members.append(try await make.party("member\(make.suffix)", server: server)) }
        try await host.send(#"/_group 1 {"displayName":"team","fullName":""}"#)
        let made = try await host.send("/_create link #1 member")
        let link = try #require(made["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue)
        return MatrixGroup(host: try await host, moderator: try await moderator, members: members, link: link)
    }

    func join(_ party: any Party) async throws {
        try await party.send("/c \(link)")
        try await party.event("userJoinedGroup")
    }

    /// Waits until everybody is connected with everybody.
    func untilAllMet() async throws {
        for party in parties {
            try await eventually("\(party.name) has met all", within: .seconds(120), every: .milliseconds(200)) {
                try await members(at: party).values.count { ["connected", "complete", "creator"].contains($0["memberStatus"]?.stringValue) } == parties.count
                    - 1
            }
        }
    }

    func say(_ text: String, as party: any Party) async throws {
        let message: JSONValue = [["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]]
        try await party.send("/_send #1 json \(message.text)")
    }

    /// Waits until a text of a member has come.
    ///
    /// - Returns: Its item.
    @discardableResult
    func hear(_ text: String, from author: String, as party: any Party) async throws -> JSONValue {
        let item = try await party.event("newChatItems") { event in
            event["chatItems"]?.arrayValue?.lazy.compactMap { $0["chatItem"] }.first { $0.isReceived && $0.itemText == text }
        }
        let shown = item["chatDir"]?["groupMember"]?["memberProfile"]?["displayName"]?.stringValue
        try #require(shown == author, "\(party.name) takes \(shown ?? "nobody") for the author")
        return item
    }

    /// The members whom a party knows, without itself.
    func members(at party: any Party) async throws -> [String: JSONValue] {
        let members = try await party.send("/_members #1")["group"]?["members"]?.arrayValue ?? []
        return Dictionary(
            members.compactMap { member in member["memberProfile"]?["displayName"]?.stringValue.map { ($0, member) } }, uniquingKeysWith: { $1 })
    }

    func memberID(_ name: String, at party: any Party) async throws -> Int64 {
        try #require(try await members(at: party)[name]?["groupMemberId"]?.intValue)
    }

    /// The role of a member, or of the party itself.
    func role(_ name: String, at party: any Party) async throws -> String? {
        let member =
            name == party.name ? try await party.send("/_info #1")["groupInfo"]?["membership"] : try await members(at: party)[name]
        return member?["memberRole"]?.stringValue
    }

    func itemID(_ text: String, at party: any Party) async throws -> Int64 { try #require(try await item(text, at: party)?.itemID) }

    /// How the message with a text is marked as deleted.
    func mark(_ text: String, at party: any Party) async throws -> String? {
        try await item(text, at: party)?["meta"]?["itemDeleted"]?["type"]?.stringValue
    }

    private func item(_ text: String, at party: any Party) async throws -> JSONValue? {
        let items = try await party.send("/_get chat #1 count=100")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.first { $0.itemText == text }
    }

    func close() async throws {
        for party in parties { try await party.leave() }
    }
}
