import ChatProtocol
import Testing

/// A group of three: the host, a guest of the other implementation, and a third one of the host's.
struct Gathering: Sendable {
    let router: any Router
    let host, guest, third: any Party
    /// The link of the group.
    let link: String

    var parties: [any Party] { [host, guest, third] }

    /// Makes the group, and its link.
    ///
    /// - Parameters:
    ///   - profile: Members of the group's profile besides its name.
    ///   - fileServers: The file routers of all.
    static func prepare(_ way: Meeting, profile: JSONObject = [:], fileServers: [String] = []) async throws -> Gathering {
        let router = try await Stage.shared.router(way.router)
        async let host = way.host.party("hanna", servers: [router.address], fileServers: fileServers)
        async let guest = way.host.other.party("gustav", servers: [router.address], fileServers: fileServers)
        let third = try await way.host.party("petra", servers: [router.address], fileServers: fileServers)
        var group: JSONObject = ["displayName": "team", "fullName": ""]
        for member in profile.members { group[member.key] = member.value }
        try await host.send("/_group 1 \(JSONValue.object(group).text)")
        let made = try await host.send("/_create link #1 member")
        let link = try #require(made["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue)
        return Gathering(router: router, host: try await host, guest: try await guest, third: third, link: link)
    }

    /// Joins both by the link, and waits until all are connected to each other.
    func joinAll() async throws {
        for party in [guest, third] { try await join(party) }
        _ = try await (guest.event("connectedToGroupMember"), third.event("connectedToGroupMember"))
    }

    /// Joins one party by the link.
    func join(_ party: any Party) async throws {
        try await party.send("/c \(link)")
        try await party.event("userJoinedGroup")
        try await host.event("joinedGroupMember")
    }

    /// Writes to the group, or to a support chat in it.
    ///
    /// - Returns: The id of the item.
    @discardableResult
    func say(_ text: String, as party: any Party, scope: String = "", quoting quoted: Int64? = nil) async throws -> Int64 {
        var message: JSONObject = ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
        if let quoted { message["quotedItemId"] = .int(quoted) }
        let response = try await party.send("/_send #1\(scope) json \(JSONValue.array([.object(message)]).text)")
        return try #require(response["chatItems"]?[0]?["chatItem"]?.itemID)
    }

    /// Waits until a text has come in the group.
    ///
    /// - Returns: Its item.
    @discardableResult func hear(_ text: String, as party: any Party) async throws -> JSONValue {
        try await item("newChatItems", as: party) { $0.isReceived && $0.itemText == text }
    }

    /// Waits until an item of the group is in an event of that type.
    func item(
        _ type: String, as party: any Party, where matches: @escaping @Sendable (JSONValue) -> Bool
    ) async throws -> JSONValue {
        try await party.event(type) { event in
            (event["chatItems"]?.arrayValue ?? [event["chatItem"]].compactMap(\.self)).first { entry in
                entry["chatInfo"]?["type"]?.stringValue == "group" && entry["chatItem"].map(matches) == true
            }?["chatItem"]
        }
    }

    /// The members, as a party knows them: by name.
    func members(at party: any Party) async throws -> [String: JSONValue] {
        let members = try await party.send("/_members #1")["group"]?["members"]?.arrayValue ?? []
        return Dictionary(members.compactMap { member in member["localDisplayName"]?.stringValue.map { ($0, member) } }, uniquingKeysWith: { $1 })
    }

    func memberID(_ name: String, at party: any Party) async throws -> Int64 {
        try #require(try await members(at: party)[name]?["groupMemberId"]?.intValue)
    }

    /// The last texts of the group, oldest first.
    func texts(at party: any Party, scope: String = "") async throws -> [String] {
        let items = try await party.send("/_get chat #1\(scope) count=50")["chat"]?["chatItems"]?.arrayValue ?? []
        return items.filter { ["rcvMsgContent", "sndMsgContent"].contains($0["content"]?["type"]?.stringValue) }.compactMap(\.itemText)
    }

    func close() async throws {
        for party in parties { try await party.leave() }
    }
}
