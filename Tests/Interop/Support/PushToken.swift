import ChatProtocol
import Foundation
import GRDB
import OfficialPeers
import ProcessSupport
import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

/// What an official client has in its database when a notification server has registered its device: none is run here, so it is put there.
struct PushToken {
    /// The one device of the official programs that is nobody's.
    private static let device = "test_ntf_token", provider = "apns_null"
    /// What the notification server encrypts with for the client.
    private let secret = BoxSecret.random(SystemRandomSource())

    /// Registers the device, and lets the client take its token into use.
    ///
    /// The client asks its notification server then whether the token is still good. That nobody is there is an error to it, and it goes on.
    static func give(to client: OfficialClient) async throws -> PushToken {
        let token = PushToken()
        await client.stop()
        try await token.store(in: client)
        try await client.start()
        try await token.activate(in: client)
        return token
    }

    /// As an app does whenever it is started.
    func activate(in client: OfficialClient) async throws {
        do throws(PeerError) {
            _ = try await client.send("/_ntf register \(Self.provider) \(Self.device) INSTANT", within: .seconds(60))
        } catch {
            guard error.response?["chatError"]?["agentError"]?["type"]?.stringValue == "BROKER" else { throw error }
        }
    }

    private func store(in client: OfficialClient) async throws {
        let random = SystemRandomSource()
        let key = Ed25519.generateKeyPair(random), agreement = X25519.generateKeyPair(random)
        let values: StatementArguments = [
            Self.provider, Data(Self.device.utf8), "127.0.0.1", "9", Data(random.bytes(24)), Data(key.publicKey.spki),
            Data(key.privateKey.pkcs8.bytes), Data(agreement.publicKey.spki), Data(agreement.privateKey.pkcs8.bytes),
            Data(secret.secret.bytes), "ACTIVE", Data("C".utf8), "INSTANT",
        ]
        let database = try DatabaseQueue(path: client.agentDatabase)
        try await database.write { db in
            try db.execute(
                sql: "INSERT INTO ntf_servers (ntf_host, ntf_port, ntf_key_hash) VALUES (?, ?, ?)",
                arguments: ["127.0.0.1", "9", Data(Base64URL.encode(random.bytes(32)).utf8)])
            try db.execute(
                sql: """
                    INSERT INTO ntf_tokens (
                        provider, device_token, ntf_host, ntf_port, tkn_id, tkn_pub_key, tkn_priv_key, tkn_pub_dh_key, tkn_priv_dh_key,
                        tkn_dh_secret, tkn_status, tkn_action, ntf_mode
                    ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """, arguments: values)
        }
        try database.close()
    }

    /// Lets the client read a notice, as if it had come through Apple's servers.
    ///
    /// - Returns: the conversation that it is of, and the router's id and time of the message.
    func show(_ notice: NoticeListener.Notice, of router: any Router, to client: OfficialClient) async throws -> JSONValue {
        let text = "\(router.address)/\(notice.notifier) \(Int64(Date().timeIntervalSince1970)) \(notice.nonce) \(Base64URL.encode(notice.body))"
        let nonce = BoxNonce.random(SystemRandomSource())
        let sealed = try secret.seal(Bytes(text.utf8), nonce: nonce, paddedTo: 1024)
        let response = try await client.send("/_ntf conns \(nonce) \(Base64URL.encode(sealed))")
        return try #require(response["ntfConns"]?[0])
    }
}

/// What an official client keeps of a queue's notifier.
struct OfficialNotifier {
    let id: NotifierID
    let key: PrivateAuthKey
    private let secret: BoxSecret

    /// Nil if no queue of the client has one.
    init?(of client: OfficialClient) async throws {
        let database = try DatabaseQueue(path: client.agentDatabase, configuration: .waiting)
        let sql = "SELECT ntf_id, ntf_private_key, rcv_ntf_dh_secret FROM rcv_queues WHERE ntf_id IS NOT NULL"
        let rows = try await database.read { try Row.fetchAll($0, sql: sql).map { row in (0..<3).map { Bytes(row[$0] as Data) } } }
        try database.close()
        guard let row = rows.first else { return nil }
        try #require(rows.count == 1, "a client with one queue")
        id = EntityID(row[0])
        key = try PrivateAuthKey(pkcs8: row[1])
        secret = try BoxSecret(SecretBytes(row[2]))
    }

    func open(_ notice: NoticeListener.Notice) throws -> NotificationMessageMeta {
        try NotificationMessageMeta(opening: notice.body, nonce: notice.nonce, secret: secret)
    }
}

extension Configuration {
    /// For a database that another program uses.
    fileprivate static var waiting: Configuration {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        return configuration
    }
}

extension OfficialClient {
    fileprivate var agentDatabase: String { folder("client_agent.db") }
}
