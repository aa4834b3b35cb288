import OfficialPeers
import ProcessSupport
import SMPClient
import SMPCrypto
import SMPProtocol
import SMPWire

/// Does with a router what a notification server does: subscribes to notifiers of others' queues and hears that there are messages.
final class NoticeListener: Sendable {
    /// What the router says of a message.
    struct Notice: Sendable {
        let notifier: NotifierID
        let nonce: BoxNonce
        /// The message's id and time, encrypted for the recipient.
        let body: Bytes
    }

    private let pool: SMPClientPool
    private let session: TransportSessionKey
    private let notices = Mailbox<Notice>(label: { "a notice to \($0.notifier)" })

    init(_ router: any Router) throws {
        pool = try SMPClientPool()
        session = TransportSessionKey(userID: 1, server: try SMPServerAddress(wireString: router.address))
        let (events, notices) = (pool.events, notices)
        Task {
            for await event in events {
                guard case .notification(_, let notifier, let nonce, let body) = event else { continue }
                notices.put(Notice(notifier: notifier, nonce: nonce, body: body))
            }
        }
    }

    /// NSUB.
    ///
    /// - Returns: whether the router knows the notifier.
    func subscribe(_ notifier: NotifierID, key: PrivateAuthKey) async throws -> Bool {
        do {
            let response = try await pool.send(SMPRequest(entity: notifier, command: .nsub, authKey: key), over: session)
            guard response == .ok || response == .sok(nil) else { throw PeerError(.refused, "NSUB: \(response)") }
            return true
        } catch let error as SMPClientError {
            guard error.code == .protocol(.auth) else { throw error }
            return false
        }
    }

    /// The next notice.
    func notice(of notifier: NotifierID) async throws -> Notice {
        try await notices.first("a notice to \(notifier)", within: .seconds(60)) { $0.notifier == notifier ? $0 : nil }
    }

    func close() async { await pool.close() }
}
