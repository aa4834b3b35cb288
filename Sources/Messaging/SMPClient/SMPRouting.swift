package import SMPProtocol
package import SMPWire

/// The routers of the network as an agent sees them: ``SMPClientPool`` over real connections, or a simulation in tests.
package protocol SMPRouting: Sendable {
    /// Sends a command and waits for the response, connecting first where there is no connection.
    ///
    /// - Returns: the response, never `ERR`. A message that comes as the response to `SUB` or `ACK` becomes a
    ///   ``SMPClientEvent/message(_:queue:_:)`` and `OK` is returned for it; one in response to `GET` is returned only.
    /// - Throws: ``SMPClientError``; its ``SMPClientError/isTemporary`` tells whether to try again.
    func send(_ request: SMPRequest, over session: TransportSessionKey) async throws(SMPClientError) -> SMPBrokerMessage

    /// Sends commands in as few blocks as hold them.
    ///
    /// - Returns: the responses in the order of the commands, as ``send(_:over:)`` gives them.
    func send(
        batch: [SMPRequest], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>]

    /// Subscribes to queues and remembers that: after a lost connection, or a temporary error here, they are subscribed to
    /// again until it succeeds or fails permanently, or until ``unsubscribe(_:over:)``.
    ///
    /// - Returns: the responses in the order of the queues.
    func subscribe(
        _ queues: [QueueSubscription], over session: TransportSessionKey
    ) async -> [Result<SMPBrokerMessage, SMPClientError>]

    /// Forgets subscriptions, without notifying the router. The commands `OFF` and `DEL` notify it, and forget by themselves.
    func unsubscribe(_ queues: [RecipientID], over session: TransportSessionKey) async

    /// The session agreed with the router. Connects first where there is no connection.
    func sessionInfo(_ session: TransportSessionKey) async throws(SMPClientError) -> SMPSessionInfo

    /// Uses other settings from now on: all connections are made anew.
    ///
    /// - Throws: ``SMPClientError`` `crypto` when TLS is not available with them; nothing has changed then.
    func setNetwork(_ network: NetworkConfiguration) async throws(SMPClientError)

    /// Is a service to routers, with certificates of this source, where the network configuration says so: for connections from now on.
    func setServices(_ source: (any ServiceCredentialSource)?) async

    /// Makes connections anew, without waiting as after a failure; lost subscriptions are taken up again.
    func reconnect(_ matches: @Sendable (TransportSessionKey) -> Bool) async

    /// The states of the requested connections.
    func sessionStates() async -> [TransportSessionKey: SMPSessionState]

    /// The events of all connections, for one reader. It never buffers more messages than there are subscriptions, since a
    /// router sends the next one only when the last has been acknowledged.
    var events: AsyncStream<SMPClientEvent> { get }

    /// Closes all connections and ends ``events``. Commands that wait fail with code `closed`, and so do later ones.
    func close() async
}

/// The state of a connection to a router.
package enum SMPSessionState: Sendable, Hashable {
    case connected, connecting
    /// The last attempt to connect has failed.
    case failed
}

/// The session that a client and a router agreed on.
package struct SMPSessionInfo: Sendable, Hashable {
    /// The version of the protocol that is spoken.
    package var version: UInt16
    /// The versions that both sides can speak.
    package var versions: VersionRange
    /// The TLS channel binding, 32 bytes: other for every connection.
    package var sessionID: Bytes
    /// The router's id of the client's service; nil if the client is no service to it.
    package var serviceID: ServiceID?

    package init(version: UInt16, versions: VersionRange, sessionID: Bytes, serviceID: ServiceID? = nil) {
        self.serviceID = serviceID
        self.version = version
        self.versions = versions
        self.sessionID = sessionID
    }
}
