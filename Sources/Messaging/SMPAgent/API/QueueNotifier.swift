public import SMPCrypto
public import SMPProtocol
public import SMPWire

/// By which a notification server hears that there is a message in a queue, and by which its recipient reads what it hears
/// (simplex-messaging.md, "Enable notifications command").
public struct QueueNotifier: Sendable, Equatable {
    public let server: SMPServerAddress
    /// The id to which `NSUB` is sent.
    public let notifierID: NotifierID
    /// Authorises `NSUB`: it is for the notification server, which can do nothing else with it.
    public let privateKey: PrivateAuthKey
    /// The secret that encrypts notices for the recipient.
    let secret: BoxSecret

    /// Reads a notice (`NMSG`).
    ///
    /// - Returns: the router's id of the message, and when the router took it.
    /// - Throws: `AGENT A_CRYPTO` or `A_MESSAGE` for what is not this queue's.
    public func open(_ notice: Bytes, nonce: BoxNonce) throws(AgentError) -> NotificationMessageMeta {
        do {
            return try NotificationMessageMeta(opening: notice, nonce: nonce, secret: secret)
        } catch {
            throw AgentError(receiving: error)
        }
    }
}
