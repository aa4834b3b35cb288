public import ChatProtocol

/// Ids that only one of two databases has.
public struct DatabaseDifference: JSONObjectConvertible, Hashable {
    /// Ids that the agent does not have.
    public var missingIDs: [JSONValue]
    /// Ids that only the agent has.
    public var extraIDs: [JSONValue]

    /// Makes the value from its parts.
    public init(missingIDs: [JSONValue] = [], extraIDs: [JSONValue] = []) {
        self.missingIDs = missingIDs
        self.extraIDs = extraIDs
    }
}

extension DatabaseDifference {
    public init(object: JSONObject) throws(JSONError) {
        missingIDs = try object.optional("missingIds") ?? []
        extraIDs = try object.optional("extraIds") ?? []
    }

    public func write(into object: inout JSONObjectWriter) {
        object["missingIds"] = missingIDs
        object["extraIds"] = extraIDs
    }
}

/// A chat as people name it.
public struct ChatName: JSONObjectConvertible, Hashable {
    /// Kind of chat.
    public var chatType: ChatType
    /// Local name of the contact or group.
    public var name: String

    /// Makes the value from its parts.
    public init(chatType: ChatType, name: String) {
        self.chatType = chatType
        self.name = name
    }
}

extension ChatName {
    public init(object: JSONObject) throws(JSONError) {
        chatType = try object.required("chatType")
        name = try object.required("chatName")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatType"] = chatType
        object["chatName"] = name
    }
}

/// History and delivery of an item.
public struct ChatItemInfo: JSONObjectConvertible, Hashable {
    /// Texts that it had, newest first.
    public var versions: [ChatItemVersion]
    /// Delivery to each member, of items sent to groups.
    public var memberDeliveryStatuses: [MemberDeliveryStatus]?
    /// The item that it was forwarded from.
    public var forwardedFromChatItem: ItemInChat?

    /// Makes the value from its parts.
    public init(
        versions: [ChatItemVersion] = [], memberDeliveryStatuses: [MemberDeliveryStatus]? = nil,
        forwardedFromChatItem: ItemInChat? = nil
    ) {
        self.versions = versions
        self.memberDeliveryStatuses = memberDeliveryStatuses
        self.forwardedFromChatItem = forwardedFromChatItem
    }
}

extension ChatItemInfo {
    public init(object: JSONObject) throws(JSONError) {
        versions = try object.optional("itemVersions") ?? []
        memberDeliveryStatuses = try object.optional("memberDeliveryStatuses")
        forwardedFromChatItem = try object.optional("forwardedFromChatItem")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["itemVersions"] = versions
        object["memberDeliveryStatuses"] = memberDeliveryStatuses
        object["forwardedFromChatItem"] = forwardedFromChatItem
    }
}

/// One text of an item.
public struct ChatItemVersion: JSONObjectConvertible, Hashable {
    /// Database id.
    public var versionID: Int64
    /// The message.
    public var content: MessageContent
    /// Its text split at its markdown.
    public var formattedText: [FormattedText]?
    /// When it was sent.
    public var itemVersionTimestamp: UTCTimestamp
    /// When it was stored.
    public var createdAt: UTCTimestamp

    /// Makes the value from its parts.
    public init(
        versionID: Int64, content: MessageContent, formattedText: [FormattedText]? = nil, itemVersionTimestamp: UTCTimestamp,
        createdAt: UTCTimestamp
    ) {
        self.versionID = versionID
        self.content = content
        self.formattedText = formattedText
        self.itemVersionTimestamp = itemVersionTimestamp
        self.createdAt = createdAt
    }
}

extension ChatItemVersion {
    public init(object: JSONObject) throws(JSONError) {
        versionID = try object.required("chatItemVersionId")
        content = try object.required("msgContent")
        formattedText = try object.optional("formattedText")
        itemVersionTimestamp = try object.required("itemVersionTs")
        createdAt = try object.required("createdAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["chatItemVersionId"] = versionID
        object["msgContent"] = content
        object["formattedText"] = formattedText
        object["itemVersionTs"] = itemVersionTimestamp
        object["createdAt"] = createdAt
    }
}

/// Delivery of an item to one member.
public struct MemberDeliveryStatus: JSONObjectConvertible, Hashable {
    /// The member.
    public var groupMemberID: GroupMemberID
    /// How far it is.
    public var status: GroupSendStatus
    /// Whether it went through a proxy.
    public var sentViaProxy: Bool?

    /// Makes the value from its parts.
    public init(groupMemberID: GroupMemberID, status: GroupSendStatus, sentViaProxy: Bool? = nil) {
        self.groupMemberID = groupMemberID
        self.status = status
        self.sentViaProxy = sentViaProxy
    }
}

extension MemberDeliveryStatus {
    public init(object: JSONObject) throws(JSONError) {
        groupMemberID = try object.required("groupMemberId")
        status = try object.required("memberDeliveryStatus")
        sentViaProxy = try object.optional("sentViaProxy")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["groupMemberId"] = groupMemberID
        object["memberDeliveryStatus"] = status
        object["sentViaProxy"] = sentViaProxy
    }
}

/// How far delivery to a member is.
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
    case received(receipt: ReceiptStatus)
    /// Could not be sent.
    case error(error: SendError)
    /// Could not be sent for now.
    case warning(error: SendError)
    /// Stored in a form that the core does not know.
    case invalid(text: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension GroupSendStatus {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "new": self = .new
        case "forwarded": self = .forwarded
        case "inactive": self = .inactive
        case "sent": self = .sent
        case "rcvd": self = .received(receipt: try object.required("msgRcptStatus"))
        case "error": self = .error(error: try object.required("agentError"))
        case "warning": self = .warning(error: try object.required("agentError"))
        case "invalid": self = .invalid(text: try object.required("text"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .new: object.write("new")
        case .forwarded: object.write("forwarded")
        case .inactive: object.write("inactive")
        case .sent: object.write("sent")
        case .received(let receipt): object.write("rcvd", ["msgRcptStatus": receipt])
        case .error(let error): object.write("error", ["agentError": error])
        case .warning(let error): object.write("warning", ["agentError": error])
        case .invalid(let text): object.write("invalid", ["text": text])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Versions of a core.
public struct CoreVersionInfo: JSONObjectConvertible, Hashable {
    /// Version of the chat.
    public var version: String
    /// Version of the messaging library.
    public var simplexmqVersion: String
    /// Commit of the messaging library.
    public var simplexmqCommit: String

    /// Makes the value from its parts.
    public init(version: String, simplexmqVersion: String = "", simplexmqCommit: String = "") {
        self.version = version
        self.simplexmqVersion = simplexmqVersion
        self.simplexmqCommit = simplexmqCommit
    }
}

extension CoreVersionInfo {
    public init(object: JSONObject) throws(JSONError) {
        version = try object.required("version")
        simplexmqVersion = try object.optional("simplexmqVersion") ?? ""
        simplexmqCommit = try object.optional("simplexmqCommit") ?? ""
    }

    public func write(into object: inout JSONObjectWriter) {
        object["version"] = version
        object["simplexmqVersion"] = simplexmqVersion
        object["simplexmqCommit"] = simplexmqCommit
    }
}

/// A step in the history of a database.
public struct DatabaseMigration: JSONObjectConvertible, Hashable {
    /// Its name.
    public var name: String
    /// Whether it can be undone.
    public var hasDown: Bool

    /// Makes the value from its parts.
    public init(name: String, hasDown: Bool) {
        self.name = name
        self.hasDown = hasDown
    }
}

extension DatabaseMigration {
    public init(object: JSONObject) throws(JSONError) {
        name = try object.required("upName")
        hasDown = try object.required("withDown")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["upName"] = name
        object["withDown"] = hasDown
    }
}

/// What has to be known before forwarding.
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

extension ForwardConfirmation {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "filesNotAccepted": self = .filesNotAccepted(fileIDs: try object.required("fileIds"))
        case "filesInProgress": self = .filesInProgress(filesCount: try object.required("filesCount"))
        case "filesMissing": self = .filesMissing(filesCount: try object.required("filesCount"))
        case "filesFailed": self = .filesFailed(filesCount: try object.required("filesCount"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .filesNotAccepted(let fileIDs): object.write("filesNotAccepted", ["fileIds": fileIDs])
        case .filesInProgress(let filesCount): object.write("filesInProgress", ["filesCount": filesCount])
        case .filesMissing(let filesCount): object.write("filesMissing", ["filesCount": filesCount])
        case .filesFailed(let filesCount): object.write("filesFailed", ["filesCount": filesCount])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What went wrong with one part of an archive.
public enum ArchiveError: JSONTagged, Hashable {
    /// The archive could not be read.
    case importError(message: String)
    /// A file could not be read or written.
    case fileError(file: String, message: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ArchiveError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "import": self = .importError(message: try object.required("importError"))
        case "fileError": self = .fileError(file: try object.required("file"), message: try object.required("fileError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .importError(let message): object.write("import", ["importError": message])
        case .fileError(let file, let message): object.write("fileError", ["file": file, "fileError": message])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
