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
    ///   - isIncognito: Whether the host makes it under a random profile.
    ///   - fileServers: The file routers of all.
    ///   - own: A router that is not shared with others.
    static func prepare(
        _ way: Meeting, profile: JSONObject = [:], isIncognito: Bool = false, fileServers: [String] = [], on own: (any Router)? = nil
    ) async throws -> Gathering {
        let router = if let own { own } else { try await Stage.shared.router(way.router) }
        async let host = way.host.party("hanna", servers: [router.address], fileServers: fileServers)
        async let guest = way.host.other.party("gustav", servers: [router.address], fileServers: fileServers)
        let third = try await way.host.party("petra", servers: [router.address], fileServers: fileServers)
        var group: JSONObject = ["displayName": "team", "fullName": ""]
        for member in profile.members { group[member.key] = member.value }
        try await host.send("/_group 1\(isIncognito ? " incognito=on" : "") \(JSONValue.object(group).text)")
        let made = try await host.send("/_create link #1 member")
        let link = try #require(made["groupLink"]?["connLinkContact"]?["connFullLink"]?.stringValue)
        return Gathering(router: router, host: try await host, guest: try await guest, third: third, link: link)
    }

    /// Joins both by the link, and waits until all are connected to each other.
    func joinAll() async throws {
        for party in [guest, third] { try await join(party) }
        _ = try await (guest.event("connectedToGroupMember"), third.event("connectedToGroupMember"))
    }

    /// Joins one party by the link, under its own profile or a random one.
    func join(_ party: any Party, isIncognito: Bool = false) async throws {
        try await party.send("/c \(isIncognito ? "incognito " : "")\(link)")
        try await party.event("userJoinedGroup")
        try await host.event("joinedGroupMember")
    }

    /// Joins one more by the link when all others are connected, and waits until they know each other.
    func welcome(_ name: String, _ implementation: Implementation) async throws -> any Party {
        let party = try await implementation.party(name, servers: [router.address])
        try await join(party)
        for other in [guest, third] {
            try await other.meets(name)
            try await party.meets(other.name)
        }
        return party
    }

    /// Writes to the group, or to a support chat in it.
    ///
    /// - Parameters:
    ///   - names: Members who are mentioned in the text.
    ///   - options: Further options of the command.
    /// - Returns: The id of the item.
    @discardableResult
    func say(
        _ text: String, as party: any Party, scope: String = "", quoting quoted: Int64? = nil, mentioning names: [String] = [], options: String = ""
    ) async throws -> Int64 {
        var message = try await content(text, mentioning: names, as: party)
        if let quoted { message["quotedItemId"] = .int(quoted) }
        let response = try await party.send("/_send #1\(scope)\(options) json \(JSONValue.array([.object(message)]).text)")
        return try #require(response["chatItems"]?[0]?["chatItem"]?.itemID)
    }

    /// Changes the text of an own item.
    func edit(_ item: Int64, to text: String, as party: any Party, mentioning names: [String] = [], options: String = "") async throws {
        let message = try await content(text, mentioning: names, as: party)
        try await party.send("/_update item #1 \(item)\(options) json \(JSONValue.object(message).text)")
    }

    private func content(_ text: String, mentioning names: [String], as party: any Party) async throws -> JSONObject {
        var mentions = JSONObject()
        for name in names { mentions[name] = .int(try await memberID(name, at: party)) }
        return ["msgContent": ["type": "text", "text": .string(text)], "mentions": .object(mentions)]
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

    /// The last items of the group, oldest first.
    func items(at party: any Party, scope: String = "") async throws -> [JSONValue] {
        try await party.send("/_get chat #1\(scope) count=200")["chat"]?["chatItems"]?.arrayValue ?? []
    }

    /// An item as the party shows it now.
    func shown(_ item: Int64?, at party: any Party, scope: String = "") async throws -> JSONValue {
        try #require(try await items(at: party, scope: scope).first { $0.itemID == item })
    }

    /// The counts that a list of chats shows with the group.
    func counts(at party: any Party) async throws -> JSONValue {
        let chats = try await party.send(#"/_get chats 1 count=20 {"type":"filters","favorite":false,"unread":false}"#)["chats"]?.arrayValue ?? []
        return try #require(chats.first { $0["chatInfo"]?["groupInfo"]?["groupId"]?.intValue == 1 }?["chatStats"])
    }

    /// The last texts of the group, oldest first.
    func texts(at party: any Party, scope: String = "") async throws -> [String] {
        try await items(at: party, scope: scope).filter { ["rcvMsgContent", "sndMsgContent"].contains($0["content"]?["type"]?.stringValue) }
            .compactMap(\.itemText)
    }

    func close() async throws {
        for party in parties { try await party.leave() }
    }
}

extension Party {
    /// Waits until this party is connected with another member.
    func meets(_ name: String) async throws {
        try await event("connectedToGroupMember") { $0["member"]?["memberProfile"]?["displayName"]?.stringValue == name ? true : nil }
    }
}
