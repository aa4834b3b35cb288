import ChatProtocol
import TestSupport
import Testing

/// A channel with its owner, its relays, and two subscribers: one of each implementation.
struct Broadcast: Sendable {
    let owner: any Party
    let relays: [RelayParty]
    /// One subscriber of each implementation.
    let subscribers: [any Party]
    /// The link of the channel.
    let link: Link
    /// The profile that channels are made with.
    static let profile: JSONObject = [
        "displayName": "news", "fullName": "", "groupPreferences": ["history": ["enable": "on"], "support": ["enable": "off"]],
    ]

    /// Makes a channel, and waits until all its relays take subscribers. Nobody subscribes yet.
    ///
    /// - Parameters:
    ///   - server: The address of the router of all parties.
    ///   - lastRelay: The router of the last relay, if it is another one.
    static func prepare(
        ownedBy owner: Implementation, relayedBy relays: [Implementation], server: String, lastRelay: String? = nil
    ) async throws -> Broadcast {
        async let coming = Implementation.allCases.asyncMap { try await $0.party($0 == .official ? "olga" : "pablo", servers: [server]) }
        var found: [RelayParty] = []
        for (number, implementation) in relays.enumerated() {
            let own = number == relays.count - 1 ? lastRelay : nil
            found.append(try await RelayParty.start(implementation, servers: [own ?? server]))
        }
        let poster = try await owner.party("hanna", servers: [server])
        let ids = try await poster.configure(found)
        let made = try await poster.send("/_public group 1 \(ids.map(String.init).joined(separator: ",")) \(JSONValue.object(profile).text)")
        let link = try Link(made["groupLink"]?["connLinkContact"])
        try await poster.event("groupLinkDataUpdated") { event in
            let active = event["groupRelays"]?.arrayValue?.filter { $0["relayStatus"]?.stringValue == "active" }
            return active?.count == relays.count ? true : nil
        }
        return Broadcast(owner: poster, relays: found, subscribers: try await coming, link: link)
    }

    /// Subscribes a party by the link of the channel, as the apps do: the plan, the channel, its relays.
    ///
    /// - Returns: What became of each relay.
    @discardableResult
    func subscribe(_ party: any Party) async throws -> [JSONValue] {
        let plan = try await party.send("/_connect plan 1 \(try #require(link.short))")
        let data = try #require(plan["connectionPlan"]?["groupLinkPlan"]?["groupSLinkData_"])
        try await party.send("/_prepare group 1 \(link.full) \(try #require(link.short)) direct=off \(data.text)")
        let started = try await party.send("/_connect group #1 incognito=off")
        return try #require(started["relayResults"]?.arrayValue)
    }

    /// Subscribes both, and waits until each is connected with all relays.
    func subscribeAll() async throws {
        for party in subscribers {
            try await subscribe(party)
            try await party.event("userJoinedGroup")
        }
        for party in subscribers { try await untilConnected(party, with: relays.count) }
    }

    /// Waits until a subscriber is connected with so many relays.
    func untilConnected(_ party: any Party, with count: Int) async throws {
        // The clients tell of the first relay only.
        try await eventually("\(party.name) is connected with \(count) relays", within: .seconds(60), every: .milliseconds(100)) {
            let connected = try await members(at: party).filter { member in
                member["memberRole"]?.stringValue == "relay" && member["memberStatus"]?.stringValue == "connected"
                    && member["activeConn"]?["connStatus"]?["type"]?.stringValue == "ready"
            }
            return connected.count == count
        }
    }

    /// The members of the channel that a party knows.
    func members(at party: any Party) async throws -> [JSONValue] {
        try await party.send("/_members #1")["group"]?["members"]?.arrayValue ?? []
    }

    /// The id under which a party knows another one.
    func memberID(_ name: String, at party: any Party) async throws -> Int64 {
        try #require(try await members(at: party).first { $0["memberProfile"]?["displayName"]?.stringValue == name }?["groupMemberId"]?.intValue)
    }

    /// Posts in the name of the channel.
    ///
    /// - Returns: The id of the owner's item.
    @discardableResult
    func post(_ text: String, asChannel: Bool = true) async throws -> Int64 {
        let message: JSONValue = [["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]]
        let sent = try await owner.send("/_send #1(as_group=\(asChannel ? "on" : "off")) json \(message.text)")
        return try #require(sent["chatItems"]?[0]?["chatItem"]?.itemID)
    }

    /// Waits until a post has come.
    ///
    /// - Returns: Its item.
    @discardableResult
    func hear(_ text: String, as party: any Party, within limit: Duration = .seconds(60)) async throws -> JSONValue {
        try await party.event("newChatItems", within: limit) { event in
            event["chatItems"]?.arrayValue?.lazy.compactMap { $0["chatItem"] }.first { $0.isReceived && $0.itemText == text }
        }
    }

    /// The items of the channel at a party, oldest first.
    func items(at party: any Party, count: Int = 50) async throws -> [JSONValue] {
        try await party.send("/_get chat #1 count=\(count)")["chat"]?["chatItems"]?.arrayValue ?? []
    }

    /// The posts that a party has received, oldest first.
    func texts(at party: any Party, count: Int = 50) async throws -> [String] {
        try await items(at: party, count: count).filter(\.isReceived).compactMap(\.itemText)
    }

    func close() async throws {
        for party in subscribers + relays + [owner] { try await party.leave() }
    }
}

extension Party {
    /// Configures relays for new channels.
    ///
    /// - Returns: Their ids, as commands name them.
    func configure(_ relays: [RelayParty]) async throws -> [Int64] {
        try await send("/relays " + relays.map { "name=\($0.name) \($0.address)" }.joined(separator: " "))
        let servers = try await send("/relays")["userServers"]?.arrayValue ?? []
        let known = servers.flatMap { $0["chatRelays"]?.arrayValue ?? [] }
        return try relays.map { relay in
            try #require(known.first { $0["address"]?.stringValue == relay.address }?["chatRelayId"]?.intValue)
        }
    }
}

extension Sequence where Self: Sendable {
    /// What a function makes of the elements, one after another.
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
