import SystemSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite("Whole files")
struct WholeFileTests {
    /// Both ends of a pipe, which gives and takes what it has at a time, never all.
    private func withPipe(_ body: (_ reading: Int32, _ writing: Int32) async throws -> Void) async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        do {
            defer { close(ends[0]) }
            try await body(ends[0], ends[1])
        }
    }

    @Test("What comes in pieces is read until its end, and more is written than is taken at a time")
    func pieces() async throws {
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        try await withPipe { reading, writing in
            async let written: Void = Task.detached {
                defer { close(writing) }
                try WholeFile.write(bytes, to: writing)
            }.value
            let read = try await Task.detached { try WholeFile.contents(of: reading) }.value
            try await written
            #expect(read == bytes)
        }
    }

    @Test("No more is read than is asked for")
    func limit() throws {
        #expect(try WholeFile.contents(ofFile: "/dev/zero", upTo: 100_001) == [UInt8](repeating: 0, count: 100_001))
        #expect(try WholeFile.contents(ofFile: "/dev/null").isEmpty)
    }

    @Test("A failure is told with its reason")
    func failures() throws {
        #expect { try WholeFile.contents(ofFile: "/nowhere/at all") } throws: { ($0 as? SystemError)?.number == ENOENT }
        #expect { try WholeFile.contents(ofFile: "/") } throws: { ($0 as? SystemError)?.number == EISDIR }
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        #expect { try WholeFile.write([1], to: full) } throws: { ($0 as? SystemError)?.number == ENOSPC }
    }
}
