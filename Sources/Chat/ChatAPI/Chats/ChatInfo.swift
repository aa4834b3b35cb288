public import ChatProtocol

/// The kind of a chat, with its contact, group or folder.
@JSONForms
public indirect enum ChatInfo: JSONTagged, Hashable {
    /// A contact.
    case direct(contact: Contact)
    /// A group, or the part of it that `scope` names.
    @JSONName(["scope": "groupChatScope"])
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

/// The folder of notes to oneself.
@JSONMembers
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
    @JSONName("chatTs") public var chatTimestamp: UTCTimestamp
    /// True if it is marked as a favourite.
    @JSONName("favorite") public var isFavorite: Bool = false
    /// True if it is marked as unread.
    @JSONName("unread") public var isUnread: Bool = false

    /// Equal to `noteFolderID`.
    public var id: NoteFolderID { noteFolderID }
}
