import EncryptedSQLite
import SMPCrypto
import SMPProtocol
import SMPRatchet
import SMPWire
import Testing

@testable import SMPAgent

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Looks through all of the process's writable memory, that of freed objects included.
private enum ProcessMemory {
    private static let chunk = 1 << 20

    /// How often `needle` is there, not counting where this function itself reads it. It is given with its bits turned over, so that this is no
    /// copy of it.
    static func count(inverted needle: Bytes) throws -> Int {
        let maps = try text(of: "/proc/self/maps")
        let file = open("/proc/self/mem", O_RDONLY)
        guard file >= 0 else { throw ReadError() }
        defer { close(file) }
        // Each chunk is looked through with the beginning of the next, and forgotten.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk + needle.count, alignment: 16)
        defer { buffer.deallocate() }
        guard let start = buffer.baseAddress else { throw ReadError() }
        let own = UInt(bitPattern: start)..<UInt(bitPattern: start) + UInt(buffer.count)
        var count = 0
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > 1, words[1].hasPrefix("rw"), !line.hasSuffix("[vvar]") else { continue }
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            // A sanitizer's shadow is terabytes of addresses.
            guard ends.count == 2, ends[1] - ends[0] < 1 << 36 else { continue }
            var address = ends[0]
            while address < ends[1] {
                let length = Int(min(UInt(buffer.count), ends[1] - address))
                let got = pread(file, start, length, off_t(address))
                if got >= needle.count {
                    count += matches(UnsafeRawBufferPointer(rebasing: buffer[..<got]), needle, from: address, except: own)
                }
                memset(start, 0, buffer.count)
                address += UInt(chunk)
            }
        }
        return count
    }

    private static func matches(
        _ memory: UnsafeRawBufferPointer, _ needle: Bytes, from address: UInt, except own: Range<UInt>
    ) -> Int {
        var count = 0
        let first = ~needle[0]
        var index = 0
        while index <= memory.count - needle.count, index < chunk {
            guard let base = memory.baseAddress, let found = memchr(base + index, Int32(first), memory.count - index) else { break }
            index = base.distance(to: UnsafeRawPointer(found))
            guard index <= memory.count - needle.count, index < chunk else { break }
            if !own.contains(address + UInt(index)), needle.indices.allSatisfy({ memory[index + $0] == ~needle[$0] }) { count += 1 }
            index += 1
        }
        return count
    }

    private struct ReadError: Error {}

    private static func text(of path: String) throws -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { throw ReadError() }
        defer { close(file) }
        var text = Bytes()
        var part = Bytes(repeating: 0, count: 65_536)
        while case let got = read(file, &part, part.count), got > 0 { text += part[..<got] }
        return String(decoding: text, as: UTF8.self)
    }
}

extension SecretBytes {
    /// The bytes with their bits turned over.
    fileprivate var inverted: Bytes { withBytes { $0.map { ~$0 } } }
}

/// Not under a sanitizer, whose own memory is terabytes of addresses.
@Suite(.serialized, .enabled(if: getenv("PARLEY_SANITIZE") == nil)) struct SecretsInMemoryTests {
    @Test func `The search finds what is there`() throws {
        let secret = SystemRandomSource().secret(32)
        let inverted = secret.inverted
        #expect(try ProcessMemory.count(inverted: inverted) == 1)
        let copies = (0..<3).map { _ in secret.bytes }
        #expect(try ProcessMemory.count(inverted: inverted) == 4)
        withExtendedLifetime((secret, copies)) {}
    }

    @Test func `Encoding a secret and reading it leaves no copy behind`() throws {
        let secret = SystemRandomSource().secret(32)
        let inverted = secret.inverted
        for _ in 0..<20 {
            let encoded = SecretBytes(reservingCapacity: 64) { writer in
                writer.write(UInt16(7))
                secret.withBytes { writer.write(raw: $0) }
            }
            let read = try encoded.decode { parser throws(WireError) in
                _ = try parser.read(UInt16.self)
                return SecretBytes(wiping: try parser.take(32))
            }
            #expect(read == secret)
        }
        #expect(try ProcessMemory.count(inverted: inverted) == 1)
        withExtendedLifetime(secret) {}
    }

    /// Keys of a ratchet and of a queue are stored, read again and dropped.
    @Test func `What the store is given and gives back leaves no copies but SQLite's own`() async throws {
        let random = SystemRandomSource()
        let keys = AgreementKeys(proposingKEM: true, random: random)
        let (ratchet, _) = try Ratchet.answer(keys.offer(version: 3), pqSupport: true, random: random)
        // The stored form begins with versions and the public part; what comes after the public key are the root and header keys.
        let inverted = keys.key1.raw.inverted
        let store = try AgentStore(path: nil)
        let user = try await store.createUser(servers: [])
        let record = ConnectionRecord(row: 5, id: ConnectionID([1]), user: user, mode: .invitation, agentVersion: 7, pqSupport: true)
        try await store.apply([.insertConnection(record), .setRatchet(5, ratchet), .setAgreementKeys(5, keys)])
        let stored = try ProcessMemory.count(inverted: inverted)
        for _ in 0..<20 {
            let state = try #require(try await store.connection(record.id))
            #expect(state.ratchet == ratchet && state.agreementKeys == keys)
        }
        #expect(try ProcessMemory.count(inverted: inverted) <= stored + 1, "reading twenty times leaves at most SQLite's one copy of the row")
        try await store.close()
        withExtendedLifetime(keys) {}
    }
}
