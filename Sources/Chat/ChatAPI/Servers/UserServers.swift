public import ChatProtocol

/// Servers of a profile that one operator runs, or nobody known.
@JSONMembers
public struct UserOperatorServers: JSONObjectConvertible, Hashable {
    /// The operator.
    @JSONName("operator") public var serverOperator: ServerOperator?
    /// SMP routers.
    public var smpServers: [UserServer]
    /// File routers.
    public var xftpServers: [UserServer]
    /// Relays for channels.
    public var chatRelays: [UserChatRelay]
}

/// A server of a profile.
@JSONMembers
public struct UserServer: JSONObjectConvertible, Hashable {
    /// Database id; absent before it is stored.
    public var serverID: UserServerID?
    /// Its address.
    public var server: String
    /// True if it came with the core.
    @JSONName("preset") public var isPreset: Bool
    /// Outcome of its last test.
    public var tested: Bool?
    /// True if it is used.
    public var enabled: Bool
    /// True if it is to be deleted.
    public var deleted: Bool
}

/// An error in a list of servers.
@JSONForms
public enum UserServersError: JSONTagged, Hashable {
    /// There is none.
    @JSONName(["serverProtocol": "protocol"])
    case noServers(serverProtocol: String, user: User?)
    /// None is used to store.
    @JSONName(["serverProtocol": "protocol"])
    case storageMissing(serverProtocol: String, user: User?)
    /// None is used to send through.
    @JSONName(["serverProtocol": "protocol"])
    case proxyMissing(serverProtocol: String, user: User?)
    /// A server is there twice.
    @JSONName(["serverProtocol": "protocol", "server": "duplicateServer", "host": "duplicateHost"])
    case duplicateServer(serverProtocol: String, server: String, host: String)
    /// A relay is there twice.
    @JSONName(["relay": "duplicateChatRelay", "address": "duplicateAddress"])
    case duplicateChatRelayAddress(relay: String, address: String)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Warnings about a list of servers. Programs for 6.5 do not get those about names.
public struct UserServersWarnings: JSONConvertible, Hashable, ExpressibleByArrayLiteral {
    /// The warnings.
    public var list: [UserServersWarning]

    /// Wraps warnings.
    public init(_ list: [UserServersWarning]) { self.list = list }

    /// Wraps warnings.
    public init(arrayLiteral warnings: UserServersWarning...) { list = warnings }

    /// Reads the list.
    public init(json: JSONValue) throws(JSONError) { list = try [UserServersWarning](json: json) }

    /// The whole list.
    public var json: JSONValue { list.json }

    /// Appends the warnings that the version of the API has.
    public func write(to writer: inout JSONWriter) {
        let shown = list.filter { if case .noNamesServers = $0 { writer.version >= .v70Beta } else { true } }
        shown.write(to: &writer)
    }
}

/// A warning about a list of servers.
@JSONForms
public enum UserServersWarning: JSONTagged, Hashable {
    /// There is no relay.
    case noChatRelays(user: User?)
    /// There is no router that resolves names.
    case noNamesServers(user: User?)
    /// A form that this version does not know, kept as it came: the value of `type` and the whole JSON.
    case other(String, JSONValue)
}

/// Why a server failed its test.
@JSONMembers
public struct ServerTestFailure: JSONObjectConvertible, Hashable {
    /// The step that failed.
    @JSONName("testStep") public var step: String
    /// The error.
    @JSONName("testError") public var error: MessagingError
}
