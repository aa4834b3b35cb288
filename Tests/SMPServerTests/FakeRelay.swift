import NIOCore
import NIOPosix
import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization

/// A router that shakes hands with a proxy and then does as it likes.
final class FakeRelay: Sendable {
    enum Behaviour: Sendable {
        /// Reads nothing after the handshake.
        case deaf
        /// Reads all and answers nothing.
        case mute
    }

    let address: SMPServerAddress
    private let listener: SMPTransportListener
    /// Kept, as nobody else does.
    private let made: Made

    init(_ behaviour: Behaviour, credential: ServerCredential? = nil) async throws {
        let credential = try credential ?? .generate()
        let (keyHash, key) = (KeyHash(credential.fingerprint), try credential.leafKey())
        var configuration = SMPTransportListener.Configuration(credential: credential)
        configuration.host = "127.0.0.1"
        configuration.port = 0
        let made = Made()
        listener = try await SMPTransportListener.start(configuration) { connection in
            made.connections.withLock { $0.append(connection) }
            guard
                let handshake = try? SMPServerHandshake(
                    versions: SMPVersion.offered, hasALPN: true, sessionID: connection.sessionID, keyHash: keyHash,
                    sessionKey: X25519.generateKeyPair(SystemRandomSource()).privateKey, certificateChain: credential.chain, leafKey: key)
            else { return connection.beginClosing() }
            var plain = BlockCipher()
            guard let hello = try? plain.seal(handshake.hello.wireBytes), (try? connection.write([hello])) != nil else { return }
            guard behaviour == .mute else { return }
            Task { for try await _ in connection.blocks {} }
        }
        self.made = made
        address = SMPServerAddress(host: .ipv4(127, 0, 0, 1), port: UInt16(listener.port), keyHash: keyHash)
    }

    private final class Made: Sendable { let connections = Mutex<[SMPConnection]>([]) }

    func close() async { await listener.close() }
}

/// A port of 127.0.0.1 that takes connections and never says anything.
final class SilentPort: Sendable {
    let number: Int
    private let channel: any Channel
    private let taken: Taken

    private final class Taken: Sendable { let channels = Mutex<[any Channel]>([]) }

    init(_ port: Int = 0) async throws {
        let taken = Taken()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                taken.channels.withLock { $0.append(channel) }
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.taken = taken
        number = channel.localAddress?.port ?? 0
    }

    /// Connections that were made.
    var count: Int { taken.channels.withLock { $0.count } }

    func close() async throws { try await channel.close() }

    /// The end of a process: the port and its connections are gone.
    func die() async throws {
        try await channel.close()
        for channel in taken.channels.withLock({ $0 }) { try? await channel.close() }
    }
}
