internal import AsyncPrimitives
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import SMPTransport
internal import Synchronization

/// A connection for one request.
struct WebConnection: Sendable {
    typealias HTTPChannel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private let channel: HTTPChannel
    private let target: WebTarget
    /// The proxy that gets the request itself; nil if the server gets it.
    private let proxy: WebProxy.Server?
    /// True if the peer is not on this machine or in a private network, or if a proxy makes that impossible to know.
    let isPublic: Bool

    // MARK: Opening

    private typealias Opening = Promise<Result<HTTPChannel, ConnectionError>>

    /// Connects to a server, through a proxy if there is one.
    ///
    /// - Throws: ``WebError``.
    static func open(
        to target: WebTarget, proxy: WebProxy.Server?, allowsLocal: Bool, tls: WebTLSSource, patience: Duration, deadline: NIODeadline
    ) async throws(WebError) -> WebConnection {
        let timeout = min(TimeAmount(patience), deadline - .now())
        guard timeout > .zero else { throw timedOut(target) }
        let tls = try secured(target, tls)
        // The addresses to try: checked ones if some are refused, so that a name server gets no second query that it could answer differently.
        var hosts = [proxy?.host ?? target.host]
        if !allowsLocal {
            if let address = IPAddress(parsing: target.host) {
                guard address.isPublic else { throw local(target) }
            } else if target.isThisMachine {
                throw local(target)
            } else if proxy == nil {
                hosts = try await publicAddresses(of: target)
            }
        }
        var failure = WebError(.notReached, "\(target.host) has no address")
        for host in hosts {
            do throws(ConnectionError) {
                let channel = try await connect(to: target, host: host, port: proxy?.port ?? target.port, proxy, tls, timeout)
                let peer = channel.channel.remoteAddress.flatMap { IPAddress($0) }
                return WebConnection(
                    channel: channel, target: target, proxy: proxy.flatMap { $0.isSOCKS || target.isSecure ? nil : $0 },
                    isPublic: proxy != nil || peer?.isPublic ?? true)
            } catch {
                failure = webError(error, target)
                guard failure.isTemporary, failure.code != .timeout else { break }
            }
        }
        throw failure
    }

    private static func secured(_ target: WebTarget, _ source: WebTLSSource) throws(WebError) -> WebTLS? {
        guard target.isSecure else { return nil }
        do { return try source.tls() } catch { throw WebError(.untrusted, "TLS cannot be used: \(error)") }
    }

    /// Addresses of one name that are tried.
    private static let longestAttempt = 4

    private static func publicAddresses(of target: WebTarget) async throws(WebError) -> [String] {
        let name = target.host
        let found = (try? await NIOThreadPool.singleton.runIfActive { IPAddress.lookUp(name) }) ?? []
        guard !found.isEmpty else { throw WebError(.notReached, "\(name) has no address") }
        let allowed = found.filter(\.isPublic)
        guard !allowed.isEmpty else { throw local(target) }
        return allowed.prefix(longestAttempt).map(\.description)
    }

    private static func local(_ target: WebTarget) -> WebError {
        WebError(.localAddress, "\(target.host) is on this machine or in a private network")
    }

    private static func timedOut(_ target: WebTarget) -> WebError { WebError(.timeout, "\(target.host) did not answer in time") }

    private static func connect(
        to target: WebTarget, host: String, port: Int, _ proxy: WebProxy.Server?, _ tls: WebTLS?, _ timeout: TimeAmount
    ) async throws(ConnectionError) -> HTTPChannel {
        let opening = Opening()
        let begin: @Sendable (any Channel) throws -> Void = { channel in
            if let tls {
                try tls.start(on: channel, host: target.host, timeout: timeout) { channel in
                    try ByteStreamHandler.add(to: channel)
                    return try wrap(channel)
                } completion: {
                    opening.resolve($0)
                }
            } else {
                let wrapped = try wrap(channel)
                try channel.syncOptions?.setOption(.recvAllocator, value: AdaptiveRecvByteBufferAllocator())
                try channel.syncOptions?.setOption(.autoRead, value: true)
                opening.resolve(.success(wrapped))
            }
        }
        let socks = try proxy.flatMap { $0.isSOCKS ? $0 : nil }.map { server throws(ConnectionError) in
            try SOCKSHandshake(host: target.host, port: UInt16(clamping: target.port), credentials: server.user.map { ($0, server.password) })
        }
        let channel = try await TCPConnector(keepAlive: nil).connect(host: host, port: port, timeout) { channel in
            if let socks {
                try channel.pipeline.syncOperations.addHandler(
                    SOCKSHandler(socks, timeout: timeout) {
                        opening.resolve(.failure($0))
                    } addHandlers: {
                        try begin($0)
                    })
            } else if let proxy, tls != nil {
                try channel.pipeline.syncOperations.addHandler(
                    TunnelHandler(to: target, authorization: proxy.authorization, timeout: timeout) { result in
                        do { try begin(try result.get()) } catch {
                            opening.resolve(.failure(error as? ConnectionError ?? ConnectionError(.tlsFailed, "TLS could not be started", cause: error)))
                            throw error
                        }
                    })
            } else {
                try begin(channel)
            }
        }
        let result = await withTaskCancellationHandler {
            await opening.value()
        } onCancel: {
            channel.close(promise: nil)
            opening.resolve(.failure(ConnectionError(.cancelled, "connecting was cancelled")))
        }
        if case .failure = result { channel.close(promise: nil) }
        return try result.get()
    }

    private static func wrap(_ channel: any Channel) throws -> HTTPChannel {
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        return try HTTPChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(backPressureStrategy: .init(lowWatermark: 2, highWatermark: 8), isOutboundHalfClosureEnabled: false))
    }

    private static func webError(_ error: ConnectionError, _ target: WebTarget) -> WebError {
        switch error.code {
        case .timedOut: timedOut(target)
        case .wrongIdentity: WebError(.untrusted, "\(target.host): \(error.message)")
        case .tlsFailed, .wrongProtocol: WebError(.untrusted, "\(target.host): \(error.message)")
        case .cancelled: WebError(.cancelled, "the request was cancelled")
        case .connectFailed, .disconnected, .closed, .invalidBlock, .invalidCredential, .listenFailed, .unsupported:
            WebError(.notReached, "\(target.host): \(error.message)")
        }
    }

    // MARK: The exchange

    /// Sends the request and reads the answer.
    func exchange<Result: Sendable>(
        _ head: WebRequestHead, _ limits: WebClient.Limits, _ deadline: NIODeadline,
        _ read: (WebResponse, WebBody) async throws -> Result
    ) async throws -> Result {
        let watch = ExchangeWatch(channel.channel, host: target.host, patience: TimeAmount(limits.patience), deadline: deadline)
        defer { watch.end() }
        do {
            return try await channel.executeThenClose { inbound, outbound in
                let parts = WebBody.Parts(inbound.makeAsyncIterator(), watch, limit: limits.body)
                // The answer can come before the whole body has been read, as one that refuses it does.
                async let sent: Void = Self.send(head, proxy, outbound)
                let response = try await parts.head()
                let result = try await read(response, WebBody(parts: parts))
                watch.end()
                channel.channel.close(promise: nil)
                _ = try? await sent
                return result
            }
        } catch {
            throw watch.reason ?? (Task.isCancelled ? WebError(.cancelled, "the request was cancelled") : error)
        }
    }

    private static func send(
        _ head: WebRequestHead, _ proxy: WebProxy.Server?, _ outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
    ) async throws {
        try await outbound.write(.head(head.head(for: proxy)))
        if let body = head.body, !body.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
        try await outbound.write(.end(nil))
    }
}

/// The time limits of an exchange. When one passes, the connection is closed and the reason kept.
final class ExchangeWatch: Sendable {
    private struct State {
        var reason: WebError?
        var isOver = false
    }

    private let channel: any Channel
    private let host: String
    private let patience: TimeAmount
    private let state = Mutex(State())
    private let deadline: Mutex<Scheduled<Void>?>

    init(_ channel: any Channel, host: String, patience: TimeAmount, deadline: NIODeadline) {
        self.channel = channel
        self.host = host
        self.patience = patience
        self.deadline = Mutex(nil)
        let timer: Scheduled<Void> = channel.eventLoop.scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            self.fail(WebError(.timeout, "\(host) has not sent the whole answer in time"))
        }
        self.deadline.withLock { $0 = timer }
    }

    /// The reason why the connection was closed; nil if it was not.
    var reason: WebError? { state.withLock(\.reason) }

    /// Waits for the peer, for a limited time.
    func wait<Value: Sendable>(_ next: () async throws -> Value) async throws -> Value {
        let timer: Scheduled<Void> = channel.eventLoop.scheduleTask(in: patience) { [weak self] in
            guard let self else { return }
            self.fail(WebError(.timeout, "\(self.host) did not answer in time"))
        }
        defer { timer.cancel() }
        return try await next()
    }

    private func fail(_ error: WebError) {
        let isFirst = state.withLock { state in
            guard !state.isOver, state.reason == nil else { return false }
            state.reason = error
            return true
        }
        if isFirst { channel.close(promise: nil) }
    }

    func end() {
        state.withLock { $0.isOver = true }
        deadline.withLock { $0.take() }?.cancel()
    }
}
