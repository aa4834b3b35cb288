public import ChatProtocol

/// Ids that only one of two databases has.
@JSONMembers
public struct DatabaseDifference: JSONObjectConvertible, Hashable {
    /// Ids that the agent does not have.
    public var missingIDs: [JSONValue] = []
    /// Ids that only the agent has.
    public var extraIDs: [JSONValue] = []
}

/// A chat as people name it.
@JSONMembers
public struct ChatName: JSONObjectConvertible, Hashable {
    /// Kind of chat.
    public var chatType: ChatType
    /// Local name of the contact or group.
    @JSONName("chatName") public var name: String
}

/// History and delivery of an item.
@JSONMembers
public struct ChatItemInfo: JSONObjectConvertible, Hashable {
    /// Texts that it had, newest first.
    @JSONName("itemVersions") public var versions: [ChatItemVersion] = []
    /// Delivery to each member, of items sent to groups.
    public var memberDeliveryStatuses: [MemberDeliveryStatus]?
    /// The item that it was forwarded from.
    public var forwardedFromChatItem: ItemInChat?
}

/// One text of an item.
@JSONMembers
public struct ChatItemVersion: JSONObjectConvertible, Hashable {
    /// Database id.
    @JSONName("chatItemVersionId") public var versionID: ChatItemVersionID
    /// The message.
    @JSONName("msgContent") public var content: MessageContent
    /// Its text split at its markdown.
    public var formattedText: [FormattedText]?
    /// When it was sent.
    @JSONName("itemVersionTs") public var itemVersionTimestamp: UTCTimestamp
    /// When it was stored.
    public var createdAt: UTCTimestamp
}

/// Delivery of an item to one member.
@JSONMembers
public struct MemberDeliveryStatus: JSONObjectConvertible, Hashable {
    /// The member.
    public var groupMemberID: GroupMemberID
    /// Its progress.
    @JSONName("memberDeliveryStatus") public var status: GroupSendStatus
    /// True if it went through a proxy.
    public var sentViaProxy: Bool?
}

/// The progress of delivery to a member.
@JSONForms
public enum GroupSendStatus: JSONTagged, Hashable {
    /// Not yet sent.
    case new
    /// Left to another member to pass on.
    case forwarded
    /// The connection with the member is not active.
    case inactive
    /// Accepted by the router.
    case sent
    /// The member's client has it.
    @JSONName("rcvd", ["receipt": "msgRcptStatus"])
    case received(receipt: ReceiptStatus)
    /// Could not be sent.
    @JSONName(["error": "agentError"])
    case error(error: SendError)
    /// Could not be sent for now.
    @JSONName(["error": "agentError"])
    case warning(error: SendError)
    /// Stored in a form that the core does not know.
    case invalid(text: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Versions of a core.
@JSONMembers
public struct CoreVersionInfo: JSONObjectConvertible, Hashable {
    /// Version of the chat.
    public var version: String
    /// Version of the messaging library.
    public var simplexmqVersion: String = ""
    /// Commit of the messaging library.
    public var simplexmqCommit: String = ""
}

/// A step in the history of a database.
@JSONMembers
public struct DatabaseMigration: JSONObjectConvertible, Hashable {
    /// Its name.
    @JSONName("upName") public var name: String
    /// True if it can be undone.
    @JSONName("withDown") public var hasDown: Bool
}

/// A point to confirm before forwarding.
@JSONForms
public enum ForwardConfirmation: JSONTagged, Hashable {
    /// Files that were not accepted.
    case filesNotAccepted(fileIDs: [FileID])
    /// Files that are still transferred.
    case filesInProgress(filesCount: Int)
    /// Files that are gone.
    case filesMissing(filesCount: Int)
    /// Files whose transfer failed.
    case filesFailed(filesCount: Int)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// An error in one part of an archive.
@JSONForms
public enum ArchiveError: JSONTagged, Hashable {
    /// The archive could not be read.
    @JSONName("import", ["message": "importError"])
    case importError(message: String)
    /// A file could not be read or written.
    @JSONName(["message": "fileError"])
    case fileError(file: String, message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
