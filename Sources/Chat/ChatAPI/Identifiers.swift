public import ChatProtocol

/// Database id of a record of one kind; ids of different kinds cannot be mixed up.
///
/// An id is unique in a core, across its profiles, and at least 1. In JSON, in commands and in text it is a plain number.
@frozen
public struct RecordID<Record>: Hashable, Comparable, Sendable {
    /// The number in the database.
    public let rawValue: Int64

    /// The id with this number.
    @inlinable public init(_ number: Int64) { rawValue = number }

    /// Reads the number from decimal text; nil for other text.
    @inlinable public init?(_ text: some StringProtocol) {
        guard let number = Int64(text) else { return nil }
        self.init(number)
    }

    /// Compares two ids.
    @inlinable public static func == (left: RecordID, right: RecordID) -> Bool { left.rawValue == right.rawValue }
    /// Orders two ids by their numbers.
    @inlinable public static func < (left: RecordID, right: RecordID) -> Bool { left.rawValue < right.rawValue }
    /// Feeds the number to a hasher.
    @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension RecordID: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates the value of a literal.
    @inlinable public init(integerLiteral value: Int64) { self.init(value) }
    /// The number in decimal.
    public var description: String { String(rawValue) }
}

extension RecordID: JSONConvertible {
    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) { self.init(try Int64(json: json)) }
    /// The JSON form.
    public var json: JSONValue { .int(rawValue) }
    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) { writer.write(number: rawValue) }
}

/// Database id of a profile of a core.
public typealias UserID = RecordID<User>
/// Database id of a contact.
public typealias ContactID = RecordID<Contact>
/// Database id of a group.
public typealias GroupID = RecordID<GroupInfo>
/// Database id of a member of a group.
public typealias GroupMemberID = RecordID<GroupMember>
/// Database id of a chat item.
public typealias ChatItemID = RecordID<ChatItem>
/// Database id of a text that an item had.
public typealias ChatItemVersionID = RecordID<ChatItemVersion>
/// Database id of a request to be a contact.
public typealias UserContactRequestID = RecordID<UserContactRequest>
/// Database id of the address of a profile, or of the link of a group.
public typealias UserContactLinkID = RecordID<UserContactLink>
/// Database id of a connection. The agent has an id of its own for it.
public typealias ChatConnectionID = RecordID<Connection>
/// Database id of a stored profile.
public typealias ProfileID = RecordID<LocalProfile>
/// Database id of a chat tag.
public typealias ChatTagID = RecordID<ChatTag>
/// Database id of a folder of notes.
public typealias NoteFolderID = RecordID<NoteFolder>
/// Database id of a file.
public typealias FileID = RecordID<ItemFile>
/// Database id of an operator of servers.
public typealias ServerOperatorID = RecordID<ServerOperator>
/// Database id of a server of a profile.
public typealias UserServerID = RecordID<UserServer>
/// Database id of a version of the conditions of use.
public typealias UsageConditionsID = RecordID<UsageConditions>
/// Database id of a relay that a profile can use for its channels.
public typealias UserChatRelayID = RecordID<UserChatRelay>
/// Database id of a relay of a channel.
public typealias GroupRelayID = RecordID<GroupRelay>
/// Database id of a quarantined event.
public typealias QuarantinedEventID = RecordID<QuarantinedEvent>
