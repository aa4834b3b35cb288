public import SMPWire

/// Versions of the protocol between client and router, and what each of them brought
/// (simplex-messaging.md, "SMP protocol versions"; number 13 was never used).
public enum SMPVersion {
    /// Commands may be authorised by an X25519 authenticator; the session id is implied, not sent.
    public static let authenticatedCommands: UInt16 = 7
    /// Commands of senders may go through a proxy.
    public static let sendingProxy: UInt16 = 8
    /// The sender may secure the queue (`SKEY`).
    public static let senderKey: UInt16 = 9
    /// `DELD` tells a subscriber that the queue was deleted.
    public static let deletedEvent: UInt16 = 10
    /// Blocks are encrypted inside TLS.
    public static let encryptedBlocks: UInt16 = 11
    /// Error `BLOCKED`.
    public static let blockedEntity: UInt16 = 12
    /// The client hello says whether the client is a proxy.
    public static let proxyHandshake: UInt16 = 14
    /// Short links with data kept by the router.
    public static let shortLinks: UInt16 = 15
    /// Service certificates and service signatures.
    public static let serviceCertificates: UInt16 = 16
    /// Notification credentials in `NEW`.
    public static let newNotificationCredentials: UInt16 = 17
    /// Notices in error `BLOCKED`.
    public static let clientNotices: UInt16 = 18
    /// Services of recipients: what each side counts in `SUBS`, `NSUBS`, `SOKS` and `ENDS`; `ALLS`.
    public static let serviceSubscriptions: UInt16 = 19
    /// Resolution of names (`RSLV`).
    public static let names: UInt16 = 20

    /// The versions that this client and router offer.
    public static let offered = VersionRange(senderKey...names)
    /// The versions that a router offers to a client that negotiated no application protocol in TLS.
    public static let withoutALPN = VersionRange(6)
    /// The versions that a proxy passes on to clients. They end where names can be resolved through a proxy; once there is a newer version, they
    /// stay one behind it, so that a client's upgrade does not show.
    public static let proxied = VersionRange(sendingProxy...names)
    /// All versions whose encodings this module reads and writes.
    public static let encodable = VersionRange(6...names)
}

/// Versions of the agreement between the two clients of a queue, as queue addresses carry them.
package enum SMPClientVersion {
    package static let initial: UInt16 = 1
    /// Addresses hold several hosts.
    package static let serverHosts: UInt16 = 2
    /// The sender may secure the queue.
    package static let senderKey: UInt16 = 3
    /// Addresses hold the queue mode; links hold data.
    package static let shortLinks: UInt16 = 4

    package static let supported = VersionRange(initial...shortLinks)
}

/// Versions of the agent protocol, as connection links carry them.
package enum SMPAgentVersion {
    package static let supported = VersionRange(2...7)
}
