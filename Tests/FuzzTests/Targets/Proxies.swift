import SMPWire

@testable import SMPTransport

extension FuzzTarget {
    /// What a SOCKS proxy answers. The first byte says whether it was told a password.
    static let socks = FuzzTarget("socks", maximumLength: 600) {
        let answers: [Bytes] = [
            [5, 0, 5, 0, 0, 1, 1, 2, 3, 4, 0, 80], [5, 2, 1, 0, 5, 0, 0, 3, 2, 97, 98, 0, 80, 22, 3], [5, 255], [4, 0], [5, 2, 1, 1],
            [5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0], [5, 0, 5, 0, 0, 4] + Bytes(repeating: 1, count: 20), [5, 0, 5, 0, 0, 9],
            [5, 0, 5, 0, 0, 3, 255] + Bytes(repeating: 97, count: 300),
        ]
        return answers.flatMap { [[0] + $0, [1] + $0] }
    } run: { input throws(FuzzFault) in
        let credentials = (input.first ?? 0) & 1 == 1 ? ("user", "password") : nil
        let answer = Bytes(input.dropFirst())
        // However it comes in pieces, it says the same.
        let expected = try outcome([answer], credentials)
        for size in [1, 3, 7] {
            let pieces = stride(from: 0, to: answer.count, by: size).map { Bytes(answer[$0..<min($0 + size, answer.count)]) }
            let other = try outcome(pieces, credentials)
            try FuzzFault.unless(other == expected, "\(expected) becomes \(other) in pieces of \(size) bytes")
        }
    }

    /// What comes of a handshake: the bytes behind it, nil without an end, or why it failed.
    private static func outcome(
        _ pieces: [Bytes], _ credentials: (user: String, password: String)?
    ) throws(FuzzFault) -> Result<Bytes?, FuzzFault> {
        guard var handshake = try? SOCKSHandshake(host: "router.example", port: 5223, credentials: credentials) else {
            throw FuzzFault("a good address is refused")
        }
        var rest: Bytes?
        for piece in pieces {
            var next = piece, sent = 0
            taking: while true {
                switch handshake.receive(next) {
                case .send:
                    sent += 1
                    try FuzzFault.unless(sent <= 2, "the proxy is told more than there is to tell")
                    // What has come already is looked at again.
                    next = []
                case .needsMore: break taking
                case .finished(let bytes):
                    rest = (rest ?? []) + bytes
                    break taking
                case .failed(let reason):
                    try FuzzFault.unless(rest == nil, "a handshake that was complete has failed")
                    if case .failed = handshake.receive([5, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0]) {
                    } else {
                        throw FuzzFault("a handshake that has failed goes on")
                    }
                    return .failure(FuzzFault(reason))
                }
            }
        }
        return .success(rest)
    }
}
