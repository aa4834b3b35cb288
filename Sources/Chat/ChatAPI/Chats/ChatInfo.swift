public import ChatProtocol

/// Whom or what a chat is with.
public indirect enum ChatInfo: JSONTagged, Hashable {
    /// A contact.
    case direct(contact: Contact)
    /// A group, or the part of it that `scope` names.
    case group(groupInfo: GroupInfo, scope: GroupChatScopeInfo?)
    /// Notes to oneself.
    case local(noteFolder: NoteFolder)
    /// Somebody asking to be a contact.
    case contactRequest(contactRequest: UserContactRequest)
    /// A connection that has no contact yet.
    case contactConnection(contactConnection: PendingContactConnection)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ChatInfo {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "direct": self = .direct(contact: try object.required("contact"))
        case "group": self = .group(groupInfo: try object.required("groupInfo"), scope: try object.optional("groupChatScope"))
        case "local": self = .local(noteFolder: try object.required("noteFolder"))
        case "contactRequest": self = .contactRequest(contactRequest: try object.required("contactRequest"))
        case "contactConnection": self = .contactConnection(contactConnection: try object.required("contactConnection"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .direct(let contact): object.write("direct", ["contact": contact])
        case .group(let groupInfo, let scope): object.write("group", ["groupInfo": groupInfo, "groupChatScope": scope])
        case .local(let noteFolder): object.write("local", ["noteFolder": noteFolder])
        case .contactRequest(let contactRequest): object.write("contactRequest", ["contactRequest": contactRequest])
        case .contactConnection(let contactConnection):
            object.write("contactConnection", ["contactConnection": contactConnection])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// The folder of notes to oneself.
public struct NoteFolder: JSONObjectConvertible, Hashable, Identifiable {
    /// Database id.
    public var noteFolderID: NoteFolderID
    /// Profile it belongs to.
    public var userID: UserID
    /// When it was made.
    public var createdAt: UTCTimestamp
    /// When it last changed.
    public var updatedAt: UTCTimestamp
    /// When it was last written to.
    public var chatTimestamp: UTCTimestamp
    /// Whether it is marked as a favourite.
    public var isFavorite: Bool
    /// Whether it is marked as unread.
    public var isUnread: Bool

    /// Equal to `noteFolderID`.
    public var id: NoteFolderID { noteFolderID }

    /// Makes the value from its parts.
    public init(
        noteFolderID: NoteFolderID, userID: UserID, createdAt: UTCTimestamp, updatedAt: UTCTimestamp,
        chatTimestamp: UTCTimestamp, isFavorite: Bool = false, isUnread: Bool = false
    ) {
        self.noteFolderID = noteFolderID
        self.userID = userID
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.chatTimestamp = chatTimestamp
        self.isFavorite = isFavorite
        self.isUnread = isUnread
    }
}

extension NoteFolder {
    public init(object: JSONObject) throws(JSONError) {
        noteFolderID = try object.required("noteFolderId")
        userID = try object.required("userId")
        createdAt = try object.required("createdAt")
        updatedAt = try object.required("updatedAt")
        chatTimestamp = try object.required("chatTs")
        isFavorite = try object.optional("favorite") ?? false
        isUnread = try object.optional("unread") ?? false
    }

    public func write(into object: inout JSONObjectWriter) {
        object["noteFolderId"] = noteFolderID
        object["userId"] = userID
        object["createdAt"] = createdAt
        object["updatedAt"] = updatedAt
        object["chatTs"] = chatTimestamp
        object["favorite"] = isFavorite
        object["unread"] = isUnread
    }
}
