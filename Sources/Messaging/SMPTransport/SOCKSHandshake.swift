import SMPWire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The client's side of a SOCKS5 handshake, without I/O (RFC 1928, RFC 1929).
package struct SOCKSHandshake: Sendable {
    enum Step: Sendable, Equatable {
        /// Send this and continue reading.
        case send(Bytes)
        case needsMore
        /// The connection is established; these bytes of the server came with the proxy's last answer.
        case finished(Bytes)
        case failed(String)
    }

    private enum State { case method, password, reply, over, broken }

    private let credentials: (user: Bytes, password: Bytes)?
    private let request: Bytes
    private var state = State.method
    private var received: Bytes = []

    /// - Parameters:
    ///   - host: a name of at most 255 bytes, or an address.
    ///   - credentials: at most 255 bytes each.
    /// - Throws: ``ConnectionError`` `unsupported` for an address without a SOCKS encoding.
    package init(host: String, port: UInt16, credentials: (user: String, password: String)?) throws(ConnectionError) {
        self.credentials = credentials.map { (Bytes($0.user.utf8), Bytes($0.password.utf8)) }
        if let (user, password) = self.credentials, user.isEmpty || user.count > 255 || password.count > 255 {
            throw ConnectionError(.unsupported, "a proxy takes names and passwords of at most 255 bytes")
        }
        guard let address = Self.address(host) else {
            throw ConnectionError(.unsupported, "a proxy takes host names of 1 to 255 bytes")
        }
        request = [5, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    private static func address(_ host: String) -> Bytes? {
        var address = Bytes(repeating: 0, count: 16)
        if inet_pton(AF_INET, host, &address) == 1 { return [1] + address.prefix(4) }
        if inet_pton(AF_INET6, host, &address) == 1 { return [4] + address }
        let name = Bytes(host.utf8)
        guard (1...255).contains(name.count) else { return nil }
        return [3, UInt8(name.count)] + name
    }

    /// The first message: the supported authentication methods.
    var greeting: Bytes { credentials == nil ? [5, 1, 0] : [5, 2, 0, 2] }

    /// Reads the bytes of the proxy.
    mutating func receive(_ bytes: Bytes) -> Step {
        received += bytes
        // The longest answer has 262 bytes.
        while true {
            switch state {
            case .method:
                guard let answer = take(2) else { return .needsMore }
                guard answer[0] == 5 else { return fail("this is not a SOCKS5 proxy") }
                switch (answer[1], credentials) {
                case (0, _):
                    state = .reply
                    return .send(request)
                case (2, let (user, password)?):
                    state = .password
                    return .send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
                default: return fail("the proxy asks for another authentication")
                }
            case .password:
                guard let answer = take(2) else { return .needsMore }
                guard answer[1] == 0 else { return fail("the proxy refused the password") }
                state = .reply
                return .send(request)
            case .reply:
                guard let length = replyLength else { return .needsMore }
                guard length > 0 else { return fail("the proxy's answer is malformed") }
                guard let answer = take(length) else { return .needsMore }
                guard answer[0] == 5, answer[1] == 0 else { return fail("the proxy \(Self.reason(answer[1]))") }
                state = .over
                return .finished(received)
            case .over: return .finished(bytes)
            case .broken: return .failed("the handshake has failed already")
            }
        }
    }

    /// Bytes of the answer to the request; nil if it is not known yet, 0 if the answer is invalid.
    private var replyLength: Int? {
        guard received.count >= 4 else { return nil }
        switch received[3] {
        case 1: return 10
        case 4: return 22
        case 3: return received.count >= 5 ? 7 + Int(received[4]) : nil
        default: return 0
        }
    }

    private mutating func take(_ count: Int) -> Bytes? {
        guard received.count >= count else { return nil }
        defer { received.removeFirst(count) }
        return Bytes(received.prefix(count))
    }

    private mutating func fail(_ reason: String) -> Step {
        state = .broken
        received = []
        return .failed(reason)
    }

    private static func reason(_ code: UInt8) -> String {
        switch code {
        case 2: "does not allow this connection"
        case 3: "cannot reach the server's network"
        case 4: "cannot reach the server's host"
        case 5: "was refused by the server"
        case 6: "waited too long for the server"
        case 7, 8: "does not support such connections"
        default: "failed (\(code))"
        }
    }
}
