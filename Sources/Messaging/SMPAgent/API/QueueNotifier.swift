package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// By which a notification server hears that there is a message in a queue, and by which its recipient reads what it hears
/// (simplex-messaging.md, "Enable notifications command").
package struct QueueNotifier: Sendable, Equatable {
    package let server: SMPServerAddress
    /// The id to which `NSUB` is sent.
    package let notifierID: NotifierID
    /// Authorises `NSUB`: it is for the notification server, which can do nothing else with it.
    package let privateKey: PrivateAuthKey
    /// The secret that encrypts notices for the recipient.
    let secret: BoxSecret

    /// Reads a notice (`NMSG`).
    ///
    /// - Returns: the router's id of the message, and when the router took it.
    /// - Throws: `AGENT A_CRYPTO` or `A_MESSAGE` for a notification of another queue.
    package func open(_ notice: Bytes, nonce: BoxNonce) throws(AgentError) -> NotificationMessageMeta {
        do {
            return try NotificationMessageMeta(opening: notice, nonce: nonce, secret: secret)
        } catch {
            throw AgentError(receiving: error)
        }
    }
}
