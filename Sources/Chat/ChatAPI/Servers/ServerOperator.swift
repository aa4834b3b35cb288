public import ChatProtocol

/// Somebody who runs servers.
@JSONMembers
public struct ServerOperator: JSONObjectConvertible, Hashable {
    /// Database id; absent before it is stored.
    public var operatorID: ServerOperatorID?
    /// Known by this word.
    public var operatorTag: String?
    /// Name.
    public var tradeName: String
    /// Name of the company.
    public var legalName: String?
    /// Domains of the servers.
    public var serverDomains: [String]
    /// The acceptance of the conditions of use.
    public var conditionsAcceptance: ConditionsAcceptance
    /// True if the servers are used.
    public var enabled: Bool
    /// The uses of its SMP routers.
    public var smpRoles: ServerRoles
    /// The uses of its file routers.
    public var xftpRoles: ServerRoles
}

/// The uses of servers.
@JSONMembers
public struct ServerRoles: JSONObjectConvertible, Hashable {
    /// To receive messages, or to store files.
    public var storage: Bool
    /// To send messages through.
    public var proxy: Bool
    /// To resolve names. Nil leaves the role as it is: programs of the API of 6.5 do not know it.
    @JSONSince(.v70Beta) public var names: Bool?
}

/// The acceptance of conditions of use.
@JSONForms
public enum ConditionsAcceptance: JSONTagged, Hashable {
    /// They were.
    case accepted(acceptedAt: UTCTimestamp?, autoAccepted: Bool = false)
    /// They must be.
    case required(deadline: UTCTimestamp?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Operators, and the required action for their conditions.
@JSONMembers
public struct ServerOperatorConditions: JSONObjectConvertible, Hashable {
    /// The operators.
    public var serverOperators: [ServerOperator]
    /// The conditions that hold.
    public var currentConditions: UsageConditions
    /// The action that is due.
    public var conditionsAction: UsageConditionsAction?
}

/// A version of the conditions of use.
@JSONMembers
public struct UsageConditions: JSONObjectConvertible, Hashable {
    /// Database id.
    public var conditionsID: UsageConditionsID
    /// Commit that has the text.
    public var conditionsCommit: String
    /// When they were shown.
    public var notifiedAt: UTCTimestamp?
    /// When they were stored.
    public var createdAt: UTCTimestamp
}

/// The action that is due about conditions of use.
@JSONForms
public enum UsageConditionsAction: JSONTagged, Hashable {
    /// They are to be read and accepted.
    case review(operators: [ServerOperator], deadline: UTCTimestamp?, showNotice: Bool)
    /// Nothing: they were accepted.
    case accepted(operators: [ServerOperator])
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}
