import NIOCore
import NIOPosix
import SMPWire
import Testing

@testable import SMPTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The connections and failures that a listener reported, for tests to wait for.
final class Accepted: Sendable {
    private let connections: AsyncStream<SMPConnection>
    private let failures: AsyncStream<ConnectionError>
    private let connectionInput: AsyncStream<SMPConnection>.Continuation
    private let failureInput: AsyncStream<ConnectionError>.Continuation

    init() {
        (connections, connectionInput) = AsyncStream.makeStream()
        (failures, failureInput) = AsyncStream.makeStream()
    }

    func add(_ connection: SMPConnection) { connectionInput.yield(connection) }
    func add(_ failure: ConnectionError) { failureInput.yield(failure) }

    func first() async throws -> SMPConnection {
        for await connection in connections { return connection }
        throw CancellationError()
    }

    func firstFailure() async throws -> ConnectionError {
        for await failure in failures { return failure }
        throw CancellationError()
    }
}

/// Runs `body` with a listener on a free port of the loopback interface, and closes it after.
func withListener(
    _ credential: ServerCredential, _ change: (inout SMPTransportListener.Configuration) -> Void = { _ in },
    _ body: (SMPTransportListener, Accepted) async throws -> Void
) async throws {
    var configuration = SMPTransportListener.Configuration(credential: credential)
    configuration.host = "127.0.0.1"
    configuration.port = 0
    change(&configuration)
    let accepted = Accepted()
    let listener = try await SMPTransportListener.start(
        configuration, onFailure: { accepted.add($0) }, onConnection: { accepted.add($0) })
    do {
        try await body(listener, accepted)
    } catch {
        await listener.close()
        throw error
    }
    await listener.close()
}

func connect(to listener: SMPTransportListener, _ credential: ServerCredential) async throws -> SMPConnection {
    try await SMPTransportClient().connect(host: "127.0.0.1", port: listener.port, keyHash: credential.fingerprint)
}

/// Runs `body` with a port of 127.0.0.2 on which connecting takes for ever: its queue of connections to be accepted is full.
func withStalledPort(_ body: (Int) async throws -> Void) async throws {
    let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.backlog, value: 0)
        .serverChannelOption(.autoRead, value: false)
        .bind(host: "127.0.0.2", port: 0).get()
    let address = try #require(listening.localAddress)
    let waiting = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(to: address).get()
    try await body(#require(address.port))
    try? await waiting.close()
    try await listening.close()
}

/// Knows the addresses of every name.
struct FixedResolver: Resolver {
    var v6: [SocketAddress] = []
    var v4: [SocketAddress] = []

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { found(v4) }
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { found(v6) }
    func cancelQueries() {}

    private func found(_ addresses: [SocketAddress]) -> EventLoopFuture<[SocketAddress]> {
        MultiThreadedEventLoopGroup.singleton.next().makeSucceededFuture(addresses)
    }

    /// A client for which all names have these addresses, tried in this order: those of IPv6 first, then those of IPv4.
    static func client(
        _ addresses: [(host: String, port: Int)], _ change: (inout SMPTransportClient.Configuration) -> Void = { _ in }
    ) throws -> SMPTransportClient {
        let all = try addresses.map { try SocketAddress(ipAddress: $0.host, port: $0.port) }
        var configuration = SMPTransportClient.Configuration()
        change(&configuration)
        return try SMPTransportClient(
            configuration: configuration, group: MultiThreadedEventLoopGroup.singleton,
            resolver: FixedResolver(v6: all.filter { $0.protocol == .inet6 }, v4: all.filter { $0.protocol == .inet }))
    }
}

/// A block of one byte's repetitions.
func block(_ byte: UInt8) -> Bytes { Bytes(repeating: byte, count: SMPConnection.blockSize) }

/// The code of the ``ConnectionError`` that `body` throws, or nil.
func connectionErrorCode(_ body: () async throws -> Void) async -> ConnectionError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? ConnectionError)?.code
    }
}

func readFile(_ path: String) throws -> Bytes {
    guard let file = fopen(path, "rb") else { throw ConnectionError(.unsupported, "cannot read \(path)") }
    defer { fclose(file) }
    var bytes = Bytes(repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    return Bytes(bytes.prefix(count))
}

func writeFile(_ path: String, _ bytes: Bytes) throws {
    guard let file = fopen(path, "wb") else { throw ConnectionError(.unsupported, "cannot write \(path)") }
    defer { fclose(file) }
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else { throw ConnectionError(.unsupported, "cannot write") }
}

func permissions(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
}
