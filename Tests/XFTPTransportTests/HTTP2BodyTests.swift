import NIOCore
import NIOHPACK
import NIOHTTP2
import SMPTransport
import SMPWire
import Testing
import XFTPTransport

/// Bodies as their frames arrive.
@Suite struct HTTP2BodyTests {
    private typealias Frame = HTTP2Frame.FramePayload
    private struct Break: Error {}

    /// How the frames of a body end.
    enum End: Sendable, CaseIterable { case none, error, reset }

    /// A body of these frames.
    private func body(_ frames: [Frame], _ end: End = .none) -> HTTP2Body {
        let (stream, source) = NIOAsyncChannelInboundStream<Frame>.makeTestingStream()
        for frame in frames { source.yield(frame) }
        switch end {
        case .none: source.finish()
        case .error: source.finish(throwing: Break())
        case .reset:
            source.yield(.rstStream(.cancel))
            source.finish()
        }
        return HTTP2Body(stream)
    }

    private func headers(_ fields: [(String, String)] = [(":status", "200")], isEnd: Bool = false) -> Frame {
        .headers(.init(headers: HPACKHeaders(fields), endStream: isEnd))
    }

    private func data(_ bytes: Bytes, isEnd: Bool = false) -> Frame { .data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: isEnd)) }

    private func code(_ body: () async throws -> Void) async -> ConnectionError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ConnectionError)?.code
        }
    }

    @Test(arguments: [[0], [1], [3, 4], [1, 1, 1, 1, 1, 1, 1], [7], [8], [100]]) func aBodyIsReadInAnyPieces(_ counts: [Int]) async throws {
        var body = body([headers(), data([1, 2, 3]), data([]), data([4]), data([5, 6, 7], isEnd: true)])
        var read = Bytes(), expected: Bytes = [1, 2, 3, 4, 5, 6, 7]
        for count in counts {
            let piece = try await body.bytes(count)
            #expect(piece.count == min(count, expected.count - read.count))
            read += piece
        }
        expected = Bytes(expected.prefix(counts.reduce(0, +)))
        #expect(read == expected)
        let rest = try await body.bytes(100), nothing = try await body.next()
        #expect(read + rest == [1, 2, 3, 4, 5, 6, 7] && nothing == nil)
    }

    @Test func theMemoryOfAPieceIsUsedAgainAndItsContentIsNot() async throws {
        var body = body([headers(), data([1, 2, 3, 4]), data([5], isEnd: true)])
        var piece: Bytes = [9, 9, 9, 9, 9, 9]
        try await body.read(3, into: &piece)
        #expect(piece == [1, 2, 3])
        try await body.read(3, into: &piece)
        #expect(piece == [4, 5])
        try await body.read(3, into: &piece)
        #expect(piece == [])
    }

    @Test(arguments: End.allCases) func aBodyThatDoesNotComeToItsEndIsNoWholeOne(_ end: End) async throws {
        for frames in [[], [headers()], [headers(), data([1, 2])], [headers(), data([1, 2]), data([])]] {
            var body = body(frames, end)
            let code = await code { _ = try await body.bytes(10) }
            #expect(code == .disconnected)
        }
        // What came before is given out.
        var body = body([headers(), data([1, 2])], end)
        let start = try await body.bytes(2)
        let rest = await code { _ = try await body.bytes(1) }
        #expect(start == [1, 2] && rest == .disconnected)
    }

    @Test func whatComesBehindTheEndIsNotRead() async throws {
        var body = body([headers(), data([1], isEnd: true), data([2])], .error)
        let read = try await body.bytes(10), more = try await body.next()
        #expect(read == [1] && more == nil)
    }

    @Test func aMessageWithoutABodyEndsWithItsFields() async throws {
        var body = body([headers([(":status", "204"), ("a", "1")], isEnd: true)])
        let before = body.header("a"), read = try await body.bytes(10)
        #expect(before == nil && read == [] && body.header("a") == "1" && body.header("b") == nil)
    }

    @Test func fieldsBehindABodyDoNotReplaceThoseBeforeIt() async throws {
        var body = body([headers([("a", "1")]), data([1]), headers([("a", "2"), ("b", "3")], isEnd: true)])
        let read = try await body.bytes(10)
        #expect(read == [1] && body.header("a") == "1" && body.header("b") == nil)
    }

    @Test(arguments: [0, 1, 9, 10, 25, 100]) func noMoreIsPassedOverThanTheLimit(_ limit: Int) async throws {
        var body = body([headers()] + (0..<10).map { data(Bytes(repeating: UInt8($0), count: 10)) })
        _ = try await body.bytes(1)
        await body.untilClosed(passingOver: limit)
        // Nine bytes were left of the first frame.
        let passed = limit < 9 ? 0 : min(9, (limit - 9) / 10 + 1)
        let next = try? await body.next()
        #expect(next.map { Int($0.readableBytesView.first ?? 0) } == (passed == 9 ? nil : passed + 1))
    }
}
