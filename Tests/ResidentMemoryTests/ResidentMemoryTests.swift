#if os(Linux)
    import CProgramFiles
    import Glibc
    import Testing
    import WholeFiles

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
        private func residentPages(_ range: Range<UInt>) throws -> Int {
            let file = open("/proc/self/pagemap", O_RDONLY)
            try #require(file >= 0)
            defer { close(file) }
            var entries = [UInt64](repeating: 0, count: range.count / 4_096)
            let read = pread(file, &entries, entries.count * 8, Int(range.lowerBound) / 4_096 * 8)
            try #require(read == entries.count * 8)
            return entries.count { $0 >> 63 == 1 }
        }

        private func range(_ start: UnsafeMutablePointer<UInt8>) -> Range<UInt> {
            let address = UInt(bitPattern: start)
            return address..<address + UInt(Self.size)
        }

        private func forget(_ range: Range<UInt>) { program_files_forget([program_range(start: range.lowerBound, end: range.upperBound)], 1) }

        private func mappings() throws -> [MemoryMapping] {
            MemoryMapping.list(smaps: try WholeFile.contents(ofFile: "/proc/self/smaps"))
        }

        @Test("Pages of a library's code are let go, and are there again when they are used")
        func released() throws {
            // One that every glibc has and nobody uses.
            let library = try #require(dlopen("libBrokenLocale.so.1", RTLD_NOW))
            defer { dlclose(library) }
            let symbol = try #require(dlsym(library, "__ctype_get_mb_cur_max"))
            let address = UInt(bitPattern: symbol)
            let code = try #require(try mappings().first { $0.addresses.contains(address) })
            #expect(code.isReplaceable)
            let byte = symbol.load(as: UInt8.self)
            #expect(try residentPages(code.addresses) > 0)
            ResidentMemory.release()
            #expect(try residentPages(code.addresses) == 0)
            #expect(symbol.load(as: UInt8.self) == byte)
        }

        @Test("Other files that are in memory are left alone, as something else may stand there when it comes to it")
        func others() throws {
            try withMappedFile { bytes in
                try #require(mprotect(bytes, Self.size, PROT_READ) == 0)
                #expect((0..<Self.size).allSatisfy { bytes[$0] == 7 })
                try #require(residentPages(range(bytes)) == Self.pages)
                forget(range(bytes))
                #expect(try residentPages(range(bytes)) == Self.pages)
            }
        }

        @Test("Memory that is no file's any more keeps its content")
        func reused() throws {
            try withMappedFile { bytes in
                let range = range(bytes)
                try #require(mmap(bytes, Self.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == UnsafeMutableRawPointer(bytes))
                for index in 0..<Self.size { bytes[index] = 9 }
                forget(range)
                #expect((0..<Self.size).allSatisfy { bytes[$0] == 9 })
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
