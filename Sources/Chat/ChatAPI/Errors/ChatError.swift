public import ChatProtocol

/// Why a core could not do something. The families are those of the official core.
public indirect enum ChatError: JSONTagged, Hashable, Error {
    /// The command, or the state of the chat, does not allow it.
    case chat(error: ChatErrorType)
    /// The messaging agent failed.
    case agent(error: AgentError, agentConnectionID: String, entity: ConnectionEntity?)
    /// Something is not in the database, or may not be put there.
    case store(error: StoreError)
    /// The database cannot be opened or changed.
    case database(error: DatabaseError)
    /// Being controlled by another device failed.
    case remoteControl(error: JSONValue)
    /// Controlling another device failed.
    case remoteHost(key: JSONValue, error: JSONValue)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ChatError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "error": self = .chat(error: try object.required("errorType"))
        case "errorAgent":
            self = .agent(
                error: try object.required("agentError"), agentConnectionID: try object.optional("agentConnId") ?? "",
                entity: try object.optional("connectionEntity_"))
        case "errorStore": self = .store(error: try object.required("storeError"))
        case "errorDatabase": self = .database(error: try object.required("databaseError"))
        case "errorRemoteCtrl": self = .remoteControl(error: try object.required("remoteCtrlError"))
        case "errorRemoteHost":
            self = .remoteHost(key: try object.required("rhKey"), error: try object.required("remoteHostError"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .chat(let error): object.write("error", ["errorType": error])
        case .agent(let error, let agentConnectionID, let entity):
            object.write("errorAgent", ["agentError": error, "agentConnId": agentConnectionID, "connectionEntity_": entity])
        case .store(let error): object.write("errorStore", ["storeError": error])
        case .database(let error): object.write("errorDatabase", ["databaseError": error])
        case .remoteControl(let error): object.write("errorRemoteCtrl", ["remoteCtrlError": error])
        case .remoteHost(let key, let error): object.write("errorRemoteHost", ["rhKey": key, "remoteHostError": error])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What a connection belongs to.
public indirect enum ConnectionEntity: JSONTagged, Hashable {
    /// A contact, or none yet.
    case contact(connection: Connection, contact: Contact?)
    /// A group member.
    case member(connection: Connection, groupInfo: GroupInfo, member: GroupMember)
    /// The address of a profile, or a group link.
    case userContact(connection: Connection, userContact: UserContact)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ConnectionEntity {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "rcvDirectMsgConnection":
            self = .contact(connection: try object.required("entityConnection"), contact: try object.optional("contact"))
        case "rcvGroupMsgConnection":
            self = .member(
                connection: try object.required("entityConnection"), groupInfo: try object.required("groupInfo"),
                member: try object.required("groupMember"))
        case "userContactConnection":
            self = .userContact(
                connection: try object.required("entityConnection"), userContact: try object.required("userContact"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .contact(let connection, let contact):
            object.write("rcvDirectMsgConnection", ["entityConnection": connection, "contact": contact])
        case .member(let connection, let groupInfo, let member):
            object.write("rcvGroupMsgConnection", ["entityConnection": connection, "groupInfo": groupInfo, "groupMember": member])
        case .userContact(let connection, let userContact):
            object.write("userContactConnection", ["entityConnection": connection, "userContact": userContact])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// The address of a profile, or a group link, in short.
public struct UserContact: JSONObjectConvertible, Hashable {
    /// Database id.
    public var userContactLinkID: Int64
    /// The full link.
    public var connectionRequest: String
    /// The group, of a group link.
    public var groupID: GroupID?

    /// Makes the value from its parts.
    public init(userContactLinkID: Int64, connectionRequest: String, groupID: GroupID? = nil) {
        self.userContactLinkID = userContactLinkID
        self.connectionRequest = connectionRequest
        self.groupID = groupID
    }
}

extension UserContact {
    public init(object: JSONObject) throws(JSONError) {
        userContactLinkID = try object.required("userContactLinkId")
        connectionRequest = try object.required("connReqContact")
        groupID = try object.optional("groupId")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["userContactLinkId"] = userContactLinkID
        object["connReqContact"] = connectionRequest
        object["groupId"] = groupID
    }
}
