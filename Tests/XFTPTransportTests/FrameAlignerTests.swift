import NIOCore
import NIOEmbedded
import Testing

@testable import XFTPTransport

/// What arrives of HTTP/2 on its way to the decoder.
@Suite struct FrameAlignerTests {
    /// A frame of a stream, with a body of so many bytes.
    private static func frame(_ length: Int) -> [UInt8] {
        [UInt8(length >> 16), UInt8(length >> 8 & 255), UInt8(length & 255), 0, 0, 0, 0, 0, 1] + (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Passes bytes through in pieces of the sizes, which are repeated.
    private static func pass(_ bytes: [UInt8], in sizes: [Int], isClient: Bool) throws -> [[UInt8]] {
        let channel = EmbeddedChannel(handler: FrameAligner(isClient: isClient))
        var rest = bytes[...], passed: [[UInt8]] = []
        for number in 0... where !rest.isEmpty {
            try channel.writeInbound(ByteBuffer(bytes: rest.prefix(sizes[number % sizes.count])))
            rest = rest.dropFirst(sizes[number % sizes.count])
            while let buffer = try channel.readInbound(as: ByteBuffer.self) { passed.append(Array(buffer.readableBytesView)) }
            if rest.isEmpty { break }
        }
        _ = try channel.finish(acceptAlreadyClosed: true)
        return passed
    }

    @Test(arguments: [[1], [5], [9], [10], [16_384], [16_384, 3], [40_000], [1, 16_383, 8]], [false, true])
    func allBytesArePassedOnAndNoHeaderIsDivided(_ sizes: [Int], isClient: Bool) throws {
        let frames = [0, 1, 8, 9, 16_384, 16_384, 5, 16_384, 100, 0, 0, 16_380].map(Self.frame)
        let preface = isClient ? [] : [UInt8](repeating: 7, count: HTTP2Framing.prefaceSize)
        let bytes = preface + frames.flatMap { $0 }
        let passed = try Self.pass(bytes, in: sizes, isClient: isClient)
        #expect(passed.flatMap { $0 } == bytes && !passed.contains([]))
        // The places within a header at which no buffer may end.
        var inHeaders: Set<Int> = [], place = preface.count
        for frame in frames {
            inHeaders.formUnion(place + 1..<place + HTTP2Framing.headerSize)
            place += frame.count
        }
        var end = 0
        for buffer in passed {
            end += buffer.count
            #expect(!inHeaders.contains(end))
        }
    }

    @Test func whatIsHeldIsJoinedWithinTheSizeOfARecord() throws {
        let bytes = Self.frame(10) + Self.frame(40_000)
        let passed = try Self.pass(bytes, in: [19 + 4, 16_384], isClient: true)
        #expect(passed.map(\.count) == [19, 16_384, 4, 23, 16_384, 23, 7_191])
    }

    @Test func aHeaderThatDoesNotComeToItsEndIsHeld() throws {
        #expect(try Self.pass(Array(Self.frame(3).prefix(8)), in: [3], isClient: true) == [])
    }
}
