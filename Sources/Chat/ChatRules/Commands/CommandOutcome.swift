package import ChatAPI
package import ChatProtocol

/// The outcome of a command that is performed once: enough to answer it again with things as they are then.
package struct CommandOutcome: Sendable, Hashable {
    package enum Result: Sendable, Hashable {
        /// Items were made.
        case created([ItemLocation])
        /// An item was changed, or was as it should become.
        case edited(ItemLocation, isChanged: Bool)
        /// Items were removed, or marked as deleted.
        case deleted([ItemLocation])
        case reacted(ItemLocation, MessageReaction, isAdded: Bool)
        /// A request was accepted and its contact is being connected.
        case accepted(ContactID)
        /// Anything else: the answer as it was.
        case answered(JSONValue)
    }

    /// The chat of an item.
    package struct ItemLocation: Sendable, Hashable {
        package var chat: ChatReference
        package var item: ChatItemID

        package init(chat: ChatReference, item: ChatItemID) {
            self.chat = chat
            self.item = item
        }
    }

    package var result: Result
    package var performedAt: UTCTimestamp

    package init(result: Result, performedAt: UTCTimestamp) {
        self.result = result
        self.performedAt = performedAt
    }
}

// MARK: From answers

extension CommandOutcome {
    package init(of response: ChatResponse, at time: UTCTimestamp) {
        performedAt = time
        result = Self.result(of: response) ?? .answered(response.json)
    }

    private static func result(of response: ChatResponse) -> Result? {
        switch response {
        case .newChatItems(_, let items): locations(items).map(Result.created)
        case .chatItemUpdated(_, let item): ItemLocation(item).map { .edited($0, isChanged: true) }
        case .chatItemNotChanged(_, let item): ItemLocation(item).map { .edited($0, isChanged: false) }
        case .chatItemsDeleted(_, let deletions, byUser: true, timed: false):
            locations(deletions.map(\.deletedChatItem)).map(Result.deleted)
        case .chatItemReaction(_, let isAdded, let reaction):
            ItemLocation(ItemInChat(chatInfo: reaction.chatInfo, chatItem: reaction.chatReaction.chatItem)).map {
                .reacted($0, reaction.chatReaction.reaction, isAdded: isAdded)
            }
        case .acceptingContactRequest(_, let contact): .accepted(contact.contactID)
        default: nil
        }
    }

    /// The locations of all the items; nil if one is in no chat that commands can name.
    private static func locations(_ items: [ItemInChat]) -> [ItemLocation]? {
        let locations = items.compactMap(ItemLocation.init)
        return locations.count == items.count ? locations : nil
    }
}

extension CommandOutcome.ItemLocation {
    fileprivate init?(_ item: ItemInChat) {
        guard let chat = item.chatInfo.reference else { return nil }
        self.init(chat: chat, item: item.chatItem.id)
    }
}

// MARK: As it is stored

extension CommandOutcome {
    package var json: JSONValue {
        switch result {
        case .created(let locations): ["created": .array(locations.map(\.json))]
        case .edited(let location, let isChanged): ["edited": location.json, "changed": .bool(isChanged)]
        case .deleted(let locations): ["deleted": .array(locations.map(\.json))]
        case .reacted(let location, let reaction, let isAdded): ["reacted": location.json, "reaction": reaction.json, "added": .bool(isAdded)]
        case .accepted(let contact): ["accepted": contact.json]
        case .answered(let response): ["answered": response]
        }
    }

    package init(parsing text: String, at time: UTCTimestamp) throws(JSONError) {
        let json = try JSONObject(json: JSONValue(parsing: text))
        performedAt = time
        if let locations = try json.optional("created", as: [ItemLocation].self) {
            result = .created(locations)
        } else if let location = try json.optional("edited", as: ItemLocation.self) {
            result = .edited(location, isChanged: try json.required("changed", as: Bool.self))
        } else if let locations = try json.optional("deleted", as: [ItemLocation].self) {
            result = .deleted(locations)
        } else if let location = try json.optional("reacted", as: ItemLocation.self) {
            result = .reacted(
                location, try json.required("reaction", as: MessageReaction.self), isAdded: try json.required("added", as: Bool.self))
        } else if let contact = try json.optional("accepted", as: ContactID.self) {
            result = .accepted(contact)
        } else {
            result = .answered(try json.required("answered", as: JSONValue.self))
        }
    }
}

extension CommandOutcome.ItemLocation: JSONConvertible {
    package var json: JSONValue { ["chat": .string("\(chat)"), "item": item.json] }

    package init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        let name = try object.required("chat", as: String.self)
        guard let chat = ChatReference(name) else { throw JSONError(.invalidValue, "no chat is called so") }
        self.init(chat: chat, item: try object.required("item"))
    }
}
