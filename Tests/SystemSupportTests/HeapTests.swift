import Testing

@testable import SystemSupport

@Suite struct HeapTests {
    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (3, 1), (4, 1), (8, 2), (64, 16)]) func `There is one part for four cores, and never the default`(
        cores: Int, parts: Int
    ) {
        #expect(Heap.arenas(cores: cores) == parts)
    }
}
