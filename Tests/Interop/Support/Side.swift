import ChatProtocol
import OfficialPeers
import Testing

/// One party of a conversation and the contact that it talks to.
struct Side: Sendable {
    let party: any Party
    /// The id under which the party knows the other one.
    let contact: Int64

    var name: String { "\(party.implementation)" }

    /// Sends a text.
    ///
    /// - Returns: the id of the item.
    @discardableResult func say(_ text: String, quoting quoted: Int64? = nil, options: String = "") async throws -> Int64 {
        try await compose(["type": "text", "text": .string(text)], quoting: quoted, options: options)
    }

    /// Sends a message with any content.
    ///
    /// - Returns: the id of the item.
    @discardableResult
    func compose(_ content: JSONValue, quoting quoted: Int64? = nil, options: String = "") async throws -> Int64 {
        var message: JSONObject = ["msgContent": content, "mentions": [:]]
        if let quoted { message["quotedItemId"] = .int(quoted) }
        let response = try await party.send("/_send @\(contact) \(options)json \(JSONValue.array([.object(message)]).text)")
        return try #require(response["chatItems"]?[0]?["chatItem"]?.itemID)
    }

    /// Waits until a text has come from the other side.
    ///
    /// - Returns: its item.
    @discardableResult func hear(_ text: String, within limit: Duration = .seconds(60)) async throws -> JSONValue {
        try await item("newChatItems", within: limit) { $0.isReceived && $0["meta"]?["itemText"]?.stringValue == text }
    }

    /// Waits until an item of this conversation is in an event of that type.
    func item(
        _ type: String, within limit: Duration = .seconds(60), where matches: @escaping @Sendable (JSONValue) -> Bool
    ) async throws -> JSONValue {
        try await party.event(type, within: limit) { [contact] event in
            (event["chatItems"]?.arrayValue ?? [event["chatItem"]].compactMap(\.self)).first { entry in
                entry["chatInfo"]?["contact"]?["contactId"]?.intValue == contact && entry["chatItem"].map(matches) == true
            }?["chatItem"]
        }
    }

    /// Waits until the other side has said that it has the item.
    func receipt(of id: Int64, within limit: Duration = .seconds(60)) async throws {
        _ = try await item("chatItemsStatusesUpdated", within: limit) { $0.itemID == id && $0.status == "sndRcvd" }
    }

    /// The last items of the conversation, oldest first.
    func history(_ count: Int) async throws -> [JSONValue] {
        try await party.send("/_get chat @\(contact) count=\(count)")["chat"]?["chatItems"]?.arrayValue ?? []
    }

    /// The contact as the party has it now.
    func record() async throws -> JSONValue {
        let contacts = try await party.send("/_contacts 1")["contacts"]?.arrayValue ?? []
        return try #require(contacts.first { $0["contactId"]?.intValue == contact })
    }
}

extension JSONValue {
    /// The id of a chat item.
    var itemID: Int64? { self["meta"]?["itemId"]?.intValue }
    /// The text of a chat item.
    var itemText: String? { self["meta"]?["itemText"]?.stringValue }
    /// The kind of status of a chat item.
    var status: String? { self["meta"]?["itemStatus"]?["type"]?.stringValue }
    /// Whether a chat item is a message from the other side.
    var isReceived: Bool { self["content"]?["type"]?.stringValue == "rcvMsgContent" }
}
