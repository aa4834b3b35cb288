import SMPCrypto
import SMPWire
import Testing

@testable import SMPProtocol

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Comparisons whose time must not tell strangers how much of a guess is right: all of both sides is read, wherever they differ.
///
/// The kernel notes which pages of memory were read: that shows it without a clock.
@Suite(.serialized, .enabled(if: access("/proc/self/clear_refs", W_OK) == 0)) struct ConstantTimeTests {
    private static let size = 16 << 20

    /// Bytes of the memory that holds both which were read by `compare`.
    private func bytesRead(_ left: Bytes, _ right: Bytes, by compare: () -> Void) throws -> Int {
        try bytesRead(at: [left, right].map { $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }, by: compare)
    }

    private func bytesRead(at addresses: [UInt], by compare: () -> Void) throws -> Int {
        try put("1", into: "/proc/self/clear_refs")
        compare()
        var found = 0
        var read = 0
        var isOurs = false
        for line in try text(of: "/proc/self/smaps").split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, !words[0].contains(":") {
                isOurs = addresses.contains { $0 >= ends[0] && $0 < ends[1] }
                found += addresses.count { $0 >= ends[0] && $0 < ends[1] }
            } else if isOurs, words[0] == "Referenced:", words.count > 1, let kilobytes = Int(words[1]) {
                read += kilobytes << 10
            }
        }
        try #require(found == addresses.count)
        return read
    }

    private struct FileError: Error { var path: String }

    private func put(_ text: String, into path: String) throws {
        let file = open(path, O_WRONLY)
        guard file >= 0 else { throw FileError(path: path) }
        defer { close(file) }
        guard write(file, text, text.utf8.count) > 0 else { throw FileError(path: path) }
    }

    private func text(of path: String) throws -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw FileError(path: path) }
        defer { close(file) }
        var text = Bytes()
        var part = Bytes(repeating: 0, count: 65_536)
        while case let got = read(file, &part, part.count), got > 0 { text += part[..<got] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Two that differ in their first byte only: what compares until it finds a difference reads no more than that.
    private func differing() -> (Bytes, Bytes) {
        let left = Bytes(repeating: 0x61, count: Self.size)
        var right = Bytes(repeating: 0x61, count: Self.size)
        right[0] = 0x62
        return (left, right)
    }

    @Test func `The measure tells a comparison that ends at the first difference`() throws {
        let (left, right) = differing()
        let read = try bytesRead(left, right) { #expect(left != right) }
        #expect(read < Self.size)
    }

    @Test func `A guessed password is compared to its end`() throws {
        let (left, right) = differing()
        let (password, guess) = (BasicAuth(unchecked: left), BasicAuth(unchecked: right))
        let read = try bytesRead(left, right) { #expect(password != guess) }
        #expect(read >= 2 * Self.size * 3 / 4)
    }

    @Test func `Secrets, and what a peer sent, are compared to their ends`() throws {
        let (left, right) = differing()
        let readOfPeer = try bytesRead(left, right) { #expect(!SecretBytes.areEqual(left, right)) }
        #expect(readOfPeer >= 2 * Self.size * 3 / 4)
        let (secret, other) = (SecretBytes(left), SecretBytes(right))
        let addresses = [secret, other].map { $0.withBytes { UInt(bitPattern: $0.baseAddress) } }
        let readOfSecrets = try bytesRead(at: addresses) { #expect(secret != other) }
        #expect(readOfSecrets >= 2 * Self.size * 3 / 4)
    }
}
