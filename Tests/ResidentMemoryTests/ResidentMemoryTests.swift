#if os(Linux)
    import Glibc
    import Testing

    @testable import ResidentMemory

    @Suite("Resident memory")
    struct ResidentMemoryTests {
        private static let pages = 64
        private static let size = pages * 4_096

        /// Shows a file of its own that is gone when the test ends.
        private func withMappedFile(_ body: (UnsafeMutablePointer<UInt8>) throws -> Void) throws {
            var name = Array("/tmp/resident-memory-XXXXXX".utf8CString)
            let file = mkstemp(&name)
            try #require(file >= 0)
            defer { close(file) }
            unlink(name)
            let content = [UInt8](repeating: 7, count: Self.size)
            try #require(write(file, content, Self.size) == Self.size)
            let mapped = try #require(mmap(nil, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0))
            try #require(mapped != MAP_FAILED)
            defer { munmap(mapped, Self.size) }
            try body(mapped.assumingMemoryBound(to: UInt8.self))
        }

        /// Pages of a range that are mapped, by the bits that the kernel shows of them.
        private func residentPages(_ start: UnsafeMutablePointer<UInt8>) throws -> Int {
            let file = open("/proc/self/pagemap", O_RDONLY)
            try #require(file >= 0)
            defer { close(file) }
            var entries = [UInt64](repeating: 0, count: Self.pages)
            let read = pread(file, &entries, Self.pages * 8, Int(bitPattern: start) / 4_096 * 8)
            try #require(read == Self.pages * 8)
            return entries.count { $0 >> 63 == 1 }
        }

        @Test("Pages of a file are let go, and are there again when they are read")
        func released() throws {
            try withMappedFile { bytes in
                try #require(mprotect(bytes, Self.size, PROT_READ) == 0)
                #expect((0..<Self.size).allSatisfy { bytes[$0] == 7 })
                ResidentMemory.release()
                #expect(try residentPages(bytes) == 0)
                #expect((0..<Self.size).allSatisfy { bytes[$0] == 7 })
            }
        }

        @Test("A file that was changed in memory keeps its changes")
        func changed() throws {
            try withMappedFile { bytes in
                bytes[5_000] = 9
                try #require(mprotect(bytes, Self.size, PROT_READ) == 0)
                ResidentMemory.release()
                #expect(bytes[5_000] == 9 && bytes[4_999] == 7)
            }
        }
    }
#endif
