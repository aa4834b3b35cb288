#if canImport(Glibc)
    import Glibc
    import Testing

    @testable import SystemSupport

    @Suite struct HeapTests {
        private func residentPages() throws -> Int {
            let text = String(decoding: try WholeFile.contents(ofFile: "/proc/self/statm"), as: UTF8.self)
            return try #require(Int(text.split(separator: " ")[1]))
        }

        @Test func trimmingReturnsWhatWasFreedBetweenBlocksInUse() throws {
            let blocks = (0..<400_000).map { _ in malloc(128) }
            defer { for block in blocks.indices where block % 1_000 == 0 { free(blocks[block]) } }
            for block in blocks { block?.storeBytes(of: 1, as: UInt8.self) }
            for block in blocks.indices where block % 1_000 != 0 { free(blocks[block]) }
            let before = try residentPages()
            Heap.trim()
            // 50 MB were allocated; a block that stays keeps one page in about thirty.
            #expect(before - (try residentPages()) > 5_000)
        }

        @Test(arguments: [(-1, 1), (0, 1), (1, 1), (3, 1), (4, 1), (8, 2), (64, 16)])
        func thereIsOneArenaForFourCoresAndNeverTheDefault(cores: Int, arenas: Int) { #expect(Heap.arenas(cores: cores) == arenas) }
    }
#endif
