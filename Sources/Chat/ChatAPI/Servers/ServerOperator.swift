public import ChatProtocol

/// Somebody who runs servers.
public struct ServerOperator: JSONObjectConvertible, Hashable {
    /// Database id; absent before it is stored.
    public var operatorID: Int64?
    /// Known by this word.
    public var operatorTag: String?
    /// Name.
    public var tradeName: String
    /// Name of the company.
    public var legalName: String?
    /// Domains of the servers.
    public var serverDomains: [String]
    /// Whether the conditions of use were accepted.
    public var conditionsAcceptance: ConditionsAcceptance
    /// Whether the servers are used.
    public var enabled: Bool
    /// What its SMP routers are used for.
    public var smpRoles: ServerRoles
    /// What its file routers are used for.
    public var xftpRoles: ServerRoles

    /// Makes the value from its parts.
    public init(
        operatorID: Int64? = nil, operatorTag: String? = nil, tradeName: String, legalName: String? = nil,
        serverDomains: [String], conditionsAcceptance: ConditionsAcceptance, enabled: Bool, smpRoles: ServerRoles,
        xftpRoles: ServerRoles
    ) {
        self.operatorID = operatorID
        self.operatorTag = operatorTag
        self.tradeName = tradeName
        self.legalName = legalName
        self.serverDomains = serverDomains
        self.conditionsAcceptance = conditionsAcceptance
        self.enabled = enabled
        self.smpRoles = smpRoles
        self.xftpRoles = xftpRoles
    }
}

extension ServerOperator {
    public init(object: JSONObject) throws(JSONError) {
        operatorID = try object.optional("operatorId")
        operatorTag = try object.optional("operatorTag")
        tradeName = try object.required("tradeName")
        legalName = try object.optional("legalName")
        serverDomains = try object.required("serverDomains")
        conditionsAcceptance = try object.required("conditionsAcceptance")
        enabled = try object.required("enabled")
        smpRoles = try object.required("smpRoles")
        xftpRoles = try object.required("xftpRoles")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["operatorId"] = operatorID
        object["operatorTag"] = operatorTag
        object["tradeName"] = tradeName
        object["legalName"] = legalName
        object["serverDomains"] = serverDomains
        object["conditionsAcceptance"] = conditionsAcceptance
        object["enabled"] = enabled
        object["smpRoles"] = smpRoles
        object["xftpRoles"] = xftpRoles
    }
}

/// What servers are used for.
public struct ServerRoles: JSONObjectConvertible, Hashable {
    /// To receive messages, or to store files.
    public var storage: Bool
    /// To send messages through.
    public var proxy: Bool

    /// Makes the value from its parts.
    public init(storage: Bool, proxy: Bool) {
        self.storage = storage
        self.proxy = proxy
    }
}

extension ServerRoles {
    public init(object: JSONObject) throws(JSONError) {
        storage = try object.required("storage")
        proxy = try object.required("proxy")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["storage"] = storage
        object["proxy"] = proxy
    }
}

/// Whether conditions of use were accepted.
public enum ConditionsAcceptance: JSONTagged, Hashable {
    /// They were.
    case accepted(acceptedAt: UTCTimestamp?, autoAccepted: Bool)
    /// They must be.
    case required(deadline: UTCTimestamp?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension ConditionsAcceptance {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "accepted":
            self = .accepted(
                acceptedAt: try object.optional("acceptedAt"), autoAccepted: try object.optional("autoAccepted") ?? false)
        case "required": self = .required(deadline: try object.optional("deadline"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .accepted(let acceptedAt, let autoAccepted):
            object.write("accepted", ["acceptedAt": acceptedAt, "autoAccepted": autoAccepted])
        case .required(let deadline): object.write("required", ["deadline": deadline])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Operators, and what is to be done about their conditions.
public struct ServerOperatorConditions: JSONObjectConvertible, Hashable {
    /// The operators.
    public var serverOperators: [ServerOperator]
    /// The conditions that hold.
    public var currentConditions: UsageConditions
    /// What is to be done.
    public var conditionsAction: UsageConditionsAction?

    /// Makes the value from its parts.
    public init(
        serverOperators: [ServerOperator], currentConditions: UsageConditions, conditionsAction: UsageConditionsAction? = nil
    ) {
        self.serverOperators = serverOperators
        self.currentConditions = currentConditions
        self.conditionsAction = conditionsAction
    }
}

extension ServerOperatorConditions {
    public init(object: JSONObject) throws(JSONError) {
        serverOperators = try object.required("serverOperators")
        currentConditions = try object.required("currentConditions")
        conditionsAction = try object.optional("conditionsAction")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["serverOperators"] = serverOperators
        object["currentConditions"] = currentConditions
        object["conditionsAction"] = conditionsAction
    }
}

/// A version of the conditions of use.
public struct UsageConditions: JSONObjectConvertible, Hashable {
    /// Database id.
    public var conditionsID: Int64
    /// Commit that has the text.
    public var conditionsCommit: String
    /// When they were shown.
    public var notifiedAt: UTCTimestamp?
    /// When they were stored.
    public var createdAt: UTCTimestamp

    /// Makes the value from its parts.
    public init(conditionsID: Int64, conditionsCommit: String, notifiedAt: UTCTimestamp? = nil, createdAt: UTCTimestamp) {
        self.conditionsID = conditionsID
        self.conditionsCommit = conditionsCommit
        self.notifiedAt = notifiedAt
        self.createdAt = createdAt
    }
}

extension UsageConditions {
    public init(object: JSONObject) throws(JSONError) {
        conditionsID = try object.required("conditionsId")
        conditionsCommit = try object.required("conditionsCommit")
        notifiedAt = try object.optional("notifiedAt")
        createdAt = try object.required("createdAt")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["conditionsId"] = conditionsID
        object["conditionsCommit"] = conditionsCommit
        object["notifiedAt"] = notifiedAt
        object["createdAt"] = createdAt
    }
}

/// What is to be done about conditions of use.
public enum UsageConditionsAction: JSONTagged, Hashable {
    /// They are to be read and accepted.
    case review(operators: [ServerOperator], deadline: UTCTimestamp?, showNotice: Bool)
    /// Nothing: they were accepted.
    case accepted(operators: [ServerOperator])
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension UsageConditionsAction {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "review":
            self = .review(
                operators: try object.required("operators"), deadline: try object.optional("deadline"),
                showNotice: try object.required("showNotice"))
        case "accepted": self = .accepted(operators: try object.required("operators"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .review(let operators, let deadline, let showNotice):
            object.write("review", ["operators": operators, "deadline": deadline, "showNotice": showNotice])
        case .accepted(let operators): object.write("accepted", ["operators": operators])
        case .other(_, let json): object.replace(with: json)
        }
    }
}
