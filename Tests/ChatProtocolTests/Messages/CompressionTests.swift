import ChatProtocol
import SMPWire
import TestSupport
import Testing

@Suite struct CompressionTests {
    private func error(_ body: Bytes) -> ChatProtocolError.Code? {
        do {
            for part in try MessageCompression.decompress(body) { if case .failure(let error) = part { return error.code } }
            return nil
        } catch {
            return error.code
        }
    }

    /// A body with one frame.
    private func body(_ frames: Bytes...) -> Bytes {
        var writer = WireWriter()
        writer.write(text: "X")
        writer.write(byte: UInt8(frames.count))
        for frame in frames {
            writer.write(text: "1")
            writer.write(large: frame)
        }
        return writer.bytes
    }

    /// The frame in a compressed body.
    private func frame(of content: Bytes) throws -> Bytes { Bytes(try MessageCompression.compress(content).dropFirst(5)) }

    @Test func bodiesUpToThePassthroughLimitAreLeftAsTheyAre() throws {
        let short = Bytes(repeating: 0x61, count: ChatLimits.compressionPassthrough)
        #expect(try MessageCompression.compress(short) == Bytes("X\u{1}0".utf8) + [180] + short)
        let long = short + [0x61]
        let compressed = try MessageCompression.compress(long)
        #expect(compressed.count < 40)
        #expect(compressed.starts(with: Bytes("X\u{1}1".utf8)))
        #expect(try MessageCompression.decompress(compressed).map { try $0.get() } == [long])
    }

    @Test func contentOfAnyKindComesBack() throws {
        var random = SplitMix64(seed: 9)
        for count in [0, 1, 180, 181, 15_602, 60_000] {
            let content = random.bytes(count)
            #expect(try MessageCompression.decompress(MessageCompression.compress(content)).map { try $0.get() } == [content])
        }
    }

    @Test func moreThanTheLimitIsRefusedBeforeItTakesMemory() throws {
        let atLimit = try frame(of: Bytes(repeating: 0x61, count: ChatLimits.decompressedMessage))
        #expect(error(body(atLimit)) == nil)
        #expect(error(body(try frame(of: Bytes(repeating: 0x61, count: ChatLimits.decompressedMessage + 1)))) == .tooLarge)
        #expect(error(body(atLimit, try frame(of: Bytes(repeating: 0x61, count: 200)))) == .tooLarge)
        // A header alone, that promises 2^62 bytes.
        let bomb: Bytes = [0x28, 0xB5, 0x2F, 0xFD, 0xE0] + [0, 0, 0, 0, 0, 0, 0, 0x40]
        #expect(error(body(bomb)) == .tooLarge)
        #expect(error(body(bomb, bomb, bomb, bomb)) == .tooLarge)
    }

    @Test func framesThatDoNotTellTheirSizeAreRefused() throws {
        // A frame header without content size: descriptor 0, window descriptor.
        let header: Bytes = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58]
        #expect(error(body(header + [0x01, 0x00, 0x00])) == .malformedCompression)
        #expect(error(body([])) == .malformedCompression)
        #expect(error(body([1, 2, 3, 4, 5])) == .malformedCompression)
        // A skippable frame has no content.
        #expect(error(body([0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 0])) != .tooLarge)
    }

    @Test func framesThatLieAboutTheirSizeAreRefused() throws {
        let content = Bytes(repeating: 0x61, count: 5000) + Bytes((0..<200).map { UInt8($0) })
        var frame = try frame(of: content)
        let second = try self.frame(of: Bytes(repeating: 0x62, count: 400))
        // Two frames one after another: the size is that of the first alone.
        #expect(error(body(frame + second)) == .malformedCompression)
        // The two-byte size field follows the five bytes of magic number and descriptor.
        #expect(frame[4] & 0xE0 == 0x60)
        frame[5] = 0
        frame[6] = 0
        #expect(error(body(frame)) == .malformedCompression)
        frame[6] = 0xF0
        #expect(error(body(frame)) != nil)
    }

    @Test func truncatedAndGarbledFramesNeverDoHarm() throws {
        var random = SplitMix64(seed: 12)
        let content = Bytes((0..<3000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let frame = try frame(of: content)
        for truncated in frame.truncations { #expect(error(body(truncated)) != nil) }
        for _ in 0..<500 { _ = error(body(frame.garbled(&random))) }
    }

    @Test func aCorruptPartLeavesTheOthersReadable() throws {
        let good = ChatMessage(event: .ok).body
        var frame = try frame(of: Bytes(repeating: 0x61, count: 300))
        frame[frame.count - 1] ^= 0xFF
        frame[frame.count - 4] ^= 0xFF
        var writer = WireWriter()
        writer.write(text: "X")
        writer.write(byte: 2)
        writer.write(text: "1")
        writer.write(large: frame)
        writer.write(text: "0")
        writer.write(short: good)
        let results = ReceivedChatMessage.parse(writer.bytes)
        #expect(results.count == 2)
        #expect(throws: ChatProtocolError.self) { try results.first?.get() }
        #expect(try results.last?.get().message.event == .ok)
    }

    @Test func onlyWhatWouldNotFitBesidePostQuantumKeysIsCompressed() throws {
        let text = Bytes(repeating: 0x61, count: ChatLimits.compressedMessage)
        func fit(_ body: Bytes, _ envelope: MessageCompression.Envelope, pq: Bool, version: ChatVersion = 17) throws -> Bytes {
            try MessageCompression.fit(body, as: envelope, postQuantum: pq, peerVersion: version)
        }
        #expect(try fit(text, .message, pq: true) == text)
        let longer = text + [0x61]
        #expect(try fit(longer, .message, pq: false) == longer)
        #expect(try fit(longer, .message, pq: true, version: 7) == longer)
        #expect(try fit(longer, .message, pq: true).count < 100)
        #expect(try MessageCompression.decompress(fit(longer, .message, pq: true)).map { try $0.get() } == [longer])
        let info = Bytes(repeating: 0x61, count: ChatLimits.compressedInfo + 1)
        #expect(try fit(info, .info, pq: true).first == UInt8(ascii: "X"))
        #expect(try fit(info, .message, pq: true) == info)

        var random = SplitMix64(seed: 5)
        for (body, envelope, pq) in [
            (Bytes(repeating: 0x61, count: ChatLimits.encodedMessage + 1), MessageCompression.Envelope.message, false),
            (Bytes(repeating: 0x61, count: ChatLimits.encodedInfo + 1), .info, true),
            (random.bytes(ChatLimits.compressedMessage + 1), .message, true), (random.bytes(ChatLimits.encodedInfo), .info, true),
        ] {
            let error = #expect(throws: ChatProtocolError.self) { try fit(body, envelope, pq: pq) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func userDataOfShortLinksIsBounded() throws {
        func error(_ data: Bytes) -> ChatProtocolError.Code? {
            do {
                _ = try ShortLinkUserData.decode(ContactShortLinkData.self, from: data)
                return nil
            } catch {
                return error.code
            }
        }
        let profile = Profile(displayName: String(repeating: "n", count: ChatLimits.decompressedLinkData))
        let data = try ShortLinkUserData.encode(ContactShortLinkData(profile: profile))
        #expect(data.count < 200)
        #expect(error(data) == .tooLarge)
        #expect(error([]) == .emptyBody)
        #expect(error(Bytes("X".utf8)) == .malformedCompression)
        #expect(error(Bytes("Xabc".utf8)) == .malformedCompression)
        #expect(error(Bytes("{}".utf8)) == .malformedJSON)
        #expect(error(Bytes("not json".utf8)) == .malformedJSON)
        let fits = Profile(displayName: "a", image: ImageData("data:image/png;base64," + String(repeating: "A", count: 20_000)))
        #expect(error(try ShortLinkUserData.encode(ContactShortLinkData(profile: fits))) == nil)
    }
}
