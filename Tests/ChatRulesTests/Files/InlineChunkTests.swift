import ChatProtocol
import Testing

@testable import ChatRules

@Suite("Files inside messages")
struct InlineChunkTests {
    @Test(
        "a file is divided into full chunks and a rest, and an empty one is one chunk",
        arguments: [
            (Int64(0), Int64(1), Int64(0)), (1, 1, 1), (15_779, 1, 15_779), (15_780, 1, 15_780), (15_781, 2, 1), (31_560, 2, 15_780), (31_561, 3, 1),
        ])
    func chunks(size: Int64, count: Int64, last: Int64) {
        let chunks = InlineChunks(size: size)
        #expect(chunks.count == count && chunks.size(of: count) == last)
        for number in 1..<max(count, 1) { #expect(chunks.size(of: number) == 15_780) }
        #expect((1...count).reduce(0) { $0 + chunks.size(of: $1) } == size)
    }

    @Test("the largest file that a peer can tell of neither overflows nor is taken")
    func largest() { #expect(InlineChunks(size: .max).count == (Int64.max - 1) / 15_780 + 1) }

    private func invitation(_ mode: InlineFileMode?, size: Int64 = 100) -> FileInvitation { FileInvitation(name: "a", size: size, inline: mode) }

    @Test("a file is offered inside messages if nothing else carries it, in a way that is known")
    func modes() {
        #expect(invitation(.offer).inlineMode == .offer && invitation(.sent).inlineMode == .sent)
        #expect(invitation(nil).inlineMode == nil && invitation(.unknown("later")).inlineMode == nil)
        var connected = invitation(.sent), described = invitation(.sent)
        connected.connectionRequest = "simplex:/invitation"
        described.fileDescription = FileDescription(text: "", partNumber: 1, isComplete: false)
        #expect(connected.inlineMode == nil && described.inlineMode == nil)
    }

    @Test("a voice message of an author who is not blocked comes without being accepted; other files are offers")
    func received() {
        let voice = MessageContent.voice(text: "", duration: 1)
        #expect(invitation(.sent).receivedInline(with: voice, isShown: true) == .sent)
        #expect(invitation(.sent).receivedInline(with: voice, isShown: false) == nil)
        #expect(invitation(.sent).receivedInline(with: .file(""), isShown: true) == nil && invitation(.sent).receivedInline(with: nil, isShown: true) == nil)
        for content in [voice, .file("")] { #expect(invitation(.offer).receivedInline(with: content, isShown: false) == .offer) }
    }

    @Test("a file of more than eight chunks is not received inside messages", arguments: [InlineFileMode.offer, .sent])
    func limit(mode: InlineFileMode) {
        let voice = MessageContent.voice(text: "", duration: 1)
        func isTaken(_ size: Int64) -> Bool { invitation(mode, size: size).receivedInline(with: voice, isShown: true) != nil }
        #expect(isTaken(0) && isTaken(8 * 15_780) && !isTaken(8 * 15_780 + 1) && !isTaken(.max))
        #expect(isTaken(.min), "a negative size is none")
    }
}

@Suite("Descriptions of files")
struct FileLimitTests {
    @Test(
        "descriptions are made for a power of two of recipients, at least four, so that their number tells little",
        arguments: [
            (0, 4), (1, 4), (4, 4), (5, 8), (8, 8), (9, 16), (8_192, 8_192), (8_193, 10_000), (10_000, 10_000),
        ])
    func descriptions(recipients: Int, count: Int) { #expect(FileLimits.descriptions(for: recipients) == count) }
}
