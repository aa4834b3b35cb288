public import ChatProtocol

/// Servers of a profile that one operator runs, or nobody known.
public struct UserOperatorServers: JSONObjectConvertible, Hashable {
    /// The operator.
    public var serverOperator: ServerOperator?
    /// SMP routers.
    public var smpServers: [UserServer]
    /// File routers.
    public var xftpServers: [UserServer]
    /// Relays for channels.
    public var chatRelays: [UserChatRelay]

    /// Makes the value from its parts.
    public init(
        serverOperator: ServerOperator? = nil, smpServers: [UserServer], xftpServers: [UserServer], chatRelays: [UserChatRelay]
    ) {
        self.serverOperator = serverOperator
        self.smpServers = smpServers
        self.xftpServers = xftpServers
        self.chatRelays = chatRelays
    }
}

extension UserOperatorServers {
    public init(object: JSONObject) throws(JSONError) {
        serverOperator = try object.optional("operator")
        smpServers = try object.required("smpServers")
        xftpServers = try object.required("xftpServers")
        chatRelays = try object.required("chatRelays")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["operator"] = serverOperator
        object["smpServers"] = smpServers
        object["xftpServers"] = xftpServers
        object["chatRelays"] = chatRelays
    }
}

/// A server of a profile.
public struct UserServer: JSONObjectConvertible, Hashable {
    /// Database id; absent before it is stored.
    public var serverID: Int64?
    /// Its address.
    public var server: String
    /// Whether it came with the core.
    public var isPreset: Bool
    /// Outcome of its last test.
    public var tested: Bool?
    /// Whether it is used.
    public var enabled: Bool
    /// Whether it is to be deleted.
    public var deleted: Bool

    /// Makes the value from its parts.
    public init(serverID: Int64? = nil, server: String, isPreset: Bool, tested: Bool? = nil, enabled: Bool, deleted: Bool) {
        self.serverID = serverID
        self.server = server
        self.isPreset = isPreset
        self.tested = tested
        self.enabled = enabled
        self.deleted = deleted
    }
}

extension UserServer {
    public init(object: JSONObject) throws(JSONError) {
        serverID = try object.optional("serverId")
        server = try object.required("server")
        isPreset = try object.required("preset")
        tested = try object.optional("tested")
        enabled = try object.required("enabled")
        deleted = try object.required("deleted")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["serverId"] = serverID
        object["server"] = server
        object["preset"] = isPreset
        object["tested"] = tested
        object["enabled"] = enabled
        object["deleted"] = deleted
    }
}

/// What is wrong with a list of servers.
public enum UserServersError: JSONTagged, Hashable {
    /// There is none.
    case noServers(serverProtocol: String, user: User?)
    /// None is used to store.
    case storageMissing(serverProtocol: String, user: User?)
    /// None is used to send through.
    case proxyMissing(serverProtocol: String, user: User?)
    /// A server is there twice.
    case duplicateServer(serverProtocol: String, server: String, host: String)
    /// A relay is there twice.
    case duplicateChatRelayAddress(relay: String, address: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension UserServersError {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "noServers": self = .noServers(serverProtocol: try object.required("protocol"), user: try object.optional("user"))
        case "storageMissing":
            self = .storageMissing(serverProtocol: try object.required("protocol"), user: try object.optional("user"))
        case "proxyMissing":
            self = .proxyMissing(serverProtocol: try object.required("protocol"), user: try object.optional("user"))
        case "duplicateServer":
            self = .duplicateServer(
                serverProtocol: try object.required("protocol"), server: try object.required("duplicateServer"),
                host: try object.required("duplicateHost"))
        case "duplicateChatRelayAddress":
            self = .duplicateChatRelayAddress(
                relay: try object.required("duplicateChatRelay"), address: try object.required("duplicateAddress"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .noServers(let serverProtocol, let user): object.write("noServers", ["protocol": serverProtocol, "user": user])
        case .storageMissing(let serverProtocol, let user):
            object.write("storageMissing", ["protocol": serverProtocol, "user": user])
        case .proxyMissing(let serverProtocol, let user): object.write("proxyMissing", ["protocol": serverProtocol, "user": user])
        case .duplicateServer(let serverProtocol, let server, let host):
            object.write("duplicateServer", ["protocol": serverProtocol, "duplicateServer": server, "duplicateHost": host])
        case .duplicateChatRelayAddress(let relay, let address):
            object.write("duplicateChatRelayAddress", ["duplicateChatRelay": relay, "duplicateAddress": address])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// What should be thought about in a list of servers.
public enum UserServersWarning: JSONTagged, Hashable {
    /// There is no relay.
    case noChatRelays(user: User?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

extension UserServersWarning {
    public init?(tag: String, object: JSONObject) throws(JSONError) {
        switch tag {
        case "noChatRelays": self = .noChatRelays(user: try object.optional("user"))
        default: return nil
        }
    }

    public static func other(tag: String, json: JSONValue) -> Self { .other(tag, json) }

    public func write(into object: inout JSONObjectWriter) {
        switch self {
        case .noChatRelays(let user): object.write("noChatRelays", ["user": user])
        case .other(_, let json): object.replace(with: json)
        }
    }
}

/// Why a server failed its test.
public struct ServerTestFailure: JSONObjectConvertible, Hashable {
    /// The step that failed.
    public var step: String
    /// What went wrong.
    public var error: AgentError

    /// Makes the value from its parts.
    public init(step: String, error: AgentError) {
        self.step = step
        self.error = error
    }
}

extension ServerTestFailure {
    public init(object: JSONObject) throws(JSONError) {
        step = try object.required("testStep")
        error = try object.required("testError")
    }

    public func write(into object: inout JSONObjectWriter) {
        object["testStep"] = step
        object["testError"] = error
    }
}
