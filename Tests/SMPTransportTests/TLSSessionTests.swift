import NIOCore
import NIOEmbedded
import SMPWire
import Testing

@testable import SMPTransport

/// Both sides of a TLS connection in memory, with everything that passes between them in the test's hands.
private struct Pair {
    let client: TLSSession
    let server: TLSSession

    init(_ credential: ServerCredential) throws {
        client = try TLSSession(.client(), verifying: .server(fingerprint: credential.fingerprint))
        server = try TLSSession(.server(credential: credential), verifying: .client)
    }

    enum Outcome {
        case finished(client: TLSHandshake, server: TLSHandshake)
        case failed(ConnectionError)
        case stuck
    }

    /// Runs the handshake, passing each flight through `change` and then in pieces of `size` bytes.
    func handshake(pieces size: Int = .max, _ change: (inout Bytes, _ flight: Int) -> Void = { _, _ in }) -> Outcome {
        var done: (client: TLSHandshake?, server: TLSHandshake?)
        var flight = 0
        /// Advances a side piece by piece; nil when it goes on.
        func pass(_ from: TLSSession, _ to: TLSSession, _ known: inout TLSHandshake?) -> ConnectionError? {
            var pieces: [Bytes] = [[]]
            if var ciphertext = from.wire.takeOutbound() {
                var bytes = ciphertext.readBytes(length: ciphertext.readableBytes) ?? []
                change(&bytes, flight)
                flight += 1
                pieces = stride(from: 0, to: bytes.count, by: max(1, min(size, bytes.count))).map {
                    Bytes(bytes[$0..<min(bytes.count, $0 + min(size, bytes.count))])
                }
            }
            for piece in pieces where known == nil {
                to.wire.append(ByteBuffer(bytes: piece))
                switch to.advanceHandshake() {
                case .needsMore: continue
                case .failed(let error): return error
                case .finished(let handshake): known = handshake
                }
            }
            return nil
        }
        for _ in 0..<10 {
            if let error = pass(server, client, &done.client) { return .failed(error) }
            if let error = pass(client, server, &done.server) { return .failed(error) }
            if let client = done.client, let server = done.server { return .finished(client: client, server: server) }
        }
        return .stuck
    }
}

@Suite("TLS sessions")
struct TLSSessionTests {
    static let credential = Result { try ServerCredential.generate(algorithm: .ed25519) }

    @Test("A handshake works however its bytes are cut", arguments: [1, 2, 3, 7, 100, 1_000, 100_000])
    func pieces(_ size: Int) throws {
        let pair = try Pair(Self.credential.get())
        guard case .finished(let client, let server) = pair.handshake(pieces: size) else {
            Issue.record("no handshake")
            return
        }
        #expect(client.sessionID == server.sessionID)
        #expect(client.applicationProtocol == "smp/1")
    }

    /// Without the least version, the server would refuse the same hello for its ciphers (alert 40).
    @Test("A client that speaks TLS 1.2 at most is refused for its version", arguments: [2, 3] as [UInt8])
    func earlierVersions(_ minor: UInt8) throws {
        let suites: Bytes = [0xCC, 0xA9, 0xCC, 0xA8, 0xC0, 0x2B, 0xC0, 0x2F]
        // Version, random, no session, ciphers, no compression, no extensions: nothing says that TLS 1.3 is known.
        let hello = [3, minor] + Bytes(repeating: 7, count: 32) + [0, 0, UInt8(suites.count)] + suites + [1, 0]
        let message = [1, 0, 0, UInt8(hello.count)] + hello
        let server = try TLSSession(.server(credential: Self.credential.get()), verifying: .client)
        server.wire.append(ByteBuffer(bytes: [22, 3, 1, 0, UInt8(message.count)] + message))
        guard case .failed = server.advanceHandshake() else {
            Issue.record("not refused")
            return
        }
        var alert = server.wire.takeOutbound() ?? ByteBuffer()
        let bytes = alert.readBytes(length: alert.readableBytes) ?? []
        #expect(bytes.first == 21 && bytes.suffix(2) == [2, 70], "\(bytes)")
    }

    @Test("A handshake with a changed byte does not succeed, and harms nothing", arguments: 0..<3)
    func changedHandshake(_ flight: Int) throws {
        let credential = try Self.credential.get()
        var position = 0
        var length = 1
        while position < length {
            let pair = try Pair(credential)
            let outcome = pair.handshake { bytes, number in
                guard number == flight else { return }
                length = bytes.count
                if position < bytes.count { bytes[position] ^= 0x41 }
            }
            if case .finished(let client, let server) = outcome {
                // The version in a record's header means nothing in TLS 1.3, and peers may ignore it.
                #expect(client.sessionID == server.sessionID)
            }
            position += 13
        }
        #expect(length > 1)
    }

    @Test("A handshake that is cut short waits", arguments: 0..<3)
    func truncatedHandshake(_ flight: Int) throws {
        let pair = try Pair(Self.credential.get())
        let outcome = pair.handshake { bytes, number in if number == flight { bytes.removeLast(5) } }
        guard case .stuck = outcome else {
            Issue.record("a handshake without its end came to an end")
            return
        }
    }

    @Test("Plaintext that is not TLS ends the handshake")
    func notTLS() throws {
        let credential = try Self.credential.get()
        for text in ["GET / HTTP/1.1\r\n\r\n", "\0\0\0\0\0\0\0\0", "SSH-2.0-OpenSSH_9.2\r\n", "\u{16}\u{3}\u{1}\u{7f}\u{7f}"] {
            let server = try TLSSession(.server(credential: credential), verifying: .client)
            server.wire.append(ByteBuffer(string: text))
            switch server.advanceHandshake() {
            case .failed(let error): #expect(error.code == .tlsFailed)
            case .needsMore: #expect(text.utf8.first == 0x16)
            case .finished: Issue.record("a handshake with \(text)")
            }
        }
    }

    @Test("A record with a changed byte is refused wherever the change is")
    func changedRecord() throws {
        let credential = try Self.credential.get()
        for position in [0, 3, 4, 5, 20, 1_000, -1] {
            let pair = try Pair(credential)
            guard case .finished = pair.handshake() else {
                Issue.record("no handshake")
                return
            }
            try pair.client.write(block(7))
            let ciphertext = pair.client.wire.takeOutbound()
            var bytes = Bytes(try #require(ciphertext).readableBytesView)
            bytes[position < 0 ? bytes.count + position : position] ^= 1
            pair.server.wire.append(ByteBuffer(bytes: bytes))
            switch pair.server.read() {
            case .bytes(let plaintext): Issue.record("\(plaintext.count) bytes of a changed record")
            case .failed(let error): #expect(error.code == .tlsFailed)
            case .needsMore: #expect((3...4).contains(position), "a longer length makes the reader wait")
            case .closed: Issue.record("a changed record read as a goodbye")
            }
        }
    }

    @Test("Records that are repeated or reordered are refused")
    func repeatedRecords() throws {
        let credential = try Self.credential.get()
        for order in [[0, 0], [1, 0]] {
            let pair = try Pair(credential)
            guard case .finished = pair.handshake() else {
                Issue.record("no handshake")
                return
            }
            var records: [ByteBuffer] = []
            for number in 0..<2 as Range<UInt8> {
                try pair.client.write(block(number))
                let record = pair.client.wire.takeOutbound()
                records.append(try #require(record))
            }
            var failures = 0
            for index in order {
                pair.server.wire.append(records[index])
                if case .failed = pair.server.read() { failures += 1 }
            }
            #expect(failures >= 1)
        }
    }

    @Test("An idle session keeps no buffers")
    func idleBuffers() throws {
        let pair = try Pair(Self.credential.get())
        guard case .finished = pair.handshake() else {
            Issue.record("no handshake")
            return
        }
        try pair.client.write(block(1))
        let ciphertext = pair.client.wire.takeOutbound()
        pair.server.wire.append(try #require(ciphertext))
        guard case .bytes(block(1)) = pair.server.read() else {
            Issue.record("the block did not arrive in one piece")
            return
        }
        pair.server.wire.releaseReadInbound()
        #expect(!pair.server.hasInput)
        #expect(pair.server.wire.inbound.capacity == 0)
        #expect(pair.client.wire.outbound.capacity == 0)
    }
}

@Suite("Block framing")
struct BlockFramingTests {
    final class Recorder: SMPConnectionDelegate, @unchecked Sendable {
        // Used on the embedded event loop only.
        var blocks: [Bytes] = []
        var wakeUps = 0
        var ends: [ConnectionError.Code] = []

        func connection(_: SMPConnection, received block: Bytes) { blocks.append(block) }
        func connectionReceivedAllForNow(_: SMPConnection) { wakeUps += 1 }
        func connection(_: SMPConnection, isWritable _: Bool) {}
        func connection(_: SMPConnection, ended reason: ConnectionError) { ends.append(reason.code) }
    }

    private func makeConnection() throws -> (EmbeddedChannel, SMPConnection, Recorder) {
        let channel = EmbeddedChannel()
        let connection = SMPConnection(
            channel: channel,
            handshake: TLSHandshake(sessionID: [], applicationProtocol: nil, peerChain: [], version: "TLSv1.3"))
        try channel.pipeline.syncOperations.addHandler(BlockHandler(connection))
        return (channel, connection, Recorder())
    }

    @Test("Blocks are found however the stream is cut", arguments: [1, 1_000, 16_383, 16_384, 16_385, 50_000])
    func cutting(_ size: Int) throws {
        let (channel, connection, recorder) = try makeConnection()
        try connection.start(recorder)
        let stream = (0..<3).flatMap { block(UInt8($0)) }
        for start in stride(from: 0, to: stream.count, by: size) {
            try channel.writeInbound(Bytes(stream[start..<min(stream.count, start + size)]))
        }
        #expect(recorder.blocks == [block(0), block(1), block(2)])
        #expect(recorder.wakeUps > 0)
    }

    @Test("What arrives before anybody receives is kept for the receiver")
    func early() throws {
        let (channel, connection, recorder) = try makeConnection()
        try channel.writeInbound(block(1) + block(2))
        try connection.start(recorder)
        #expect(recorder.blocks == [block(1), block(2)])
        #expect(recorder.wakeUps == 1)
    }

    @Test("An end in the middle of a block is not in good order")
    func partialEnd() throws {
        for (bytes, expected) in [(0, ConnectionError.Code.closed), (100, .disconnected), (SMPConnection.blockSize, .closed)] {
            let (channel, connection, recorder) = try makeConnection()
            try connection.start(recorder)
            try channel.writeInbound(Bytes(repeating: 0, count: bytes))
            channel.pipeline.fireErrorCaught(ConnectionError(.closed, "the peer said goodbye"))
            #expect(recorder.ends == [expected])
        }
    }

    @Test("The end is told once, also to who starts receiving after it")
    func lateReceiver() throws {
        let (channel, connection, recorder) = try makeConnection()
        try channel.writeInbound(block(1))
        channel.pipeline.fireErrorCaught(ConnectionError(.disconnected, "gone"))
        channel.pipeline.fireErrorCaught(ConnectionError(.tlsFailed, "again"))
        try connection.start(recorder)
        #expect(recorder.blocks == [block(1)])
        #expect(recorder.ends == [.disconnected])
        #expect(connection.end?.code == .disconnected)
    }

    @Test("Blocks of one turn leave in order and together")
    func writing() throws {
        let (channel, connection, _) = try makeConnection()
        try connection.write([block(1)])
        try connection.write([block(2), block(3)])
        #expect(try channel.readOutbound(as: Bytes.self) == nil)
        channel.embeddedEventLoop.run()
        for number in 1...3 as ClosedRange<UInt8> {
            #expect(try channel.readOutbound(as: Bytes.self) == block(number))
        }
        #expect(try channel.readOutbound(as: Bytes.self) == nil)
    }
}
