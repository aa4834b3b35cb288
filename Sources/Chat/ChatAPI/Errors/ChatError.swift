public import ChatProtocol

/// Why a core could not do something. The families are those of the official core.
@JSONForms
public indirect enum ChatError: JSONTagged, Hashable, Error {
    /// The command, or the state of the chat, does not allow it.
    @JSONName("error", ["error": "errorType"])
    case chat(error: ChatErrorType)
    /// The messaging agent failed.
    @JSONName("errorAgent", ["error": "agentError", "agentConnectionID": "agentConnId", "entity": "connectionEntity_"])
    case agent(error: MessagingError, agentConnectionID: String = "", entity: ConnectionEntity?)
    /// Something is not in the database, or may not be put there.
    @JSONName("errorStore", ["error": "storeError"])
    case store(error: StoreError)
    /// The database cannot be opened or changed.
    @JSONName("errorDatabase", ["error": "databaseError"])
    case database(error: DatabaseError)
    /// Being controlled by another device failed.
    @JSONName("errorRemoteCtrl", ["error": "remoteCtrlError"])
    case remoteControl(error: JSONValue)
    /// Controlling another device failed.
    @JSONName("errorRemoteHost", ["key": "rhKey", "error": "remoteHostError"])
    case remoteHost(key: JSONValue, error: JSONValue)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The owner of a connection.
@JSONForms
public indirect enum ConnectionEntity: JSONTagged, Hashable {
    /// A contact, or none yet.
    @JSONName("rcvDirectMsgConnection", ["connection": "entityConnection"])
    case contact(connection: Connection, contact: Contact?)
    /// A group member.
    @JSONName("rcvGroupMsgConnection", ["connection": "entityConnection", "member": "groupMember"])
    case member(connection: Connection, groupInfo: GroupInfo, member: GroupMember)
    /// The address of a profile, or a group link.
    @JSONName("userContactConnection", ["connection": "entityConnection"])
    case userContact(connection: Connection, userContact: UserContact)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// The address of a profile, or a group link, in short.
@JSONMembers
public struct UserContact: JSONObjectConvertible, Hashable {
    /// Database id.
    public var userContactLinkID: UserContactLinkID
    /// The full link.
    @JSONName("connReqContact") public var connectionRequest: String
    /// The group, of a group link.
    public var groupID: GroupID?
}
