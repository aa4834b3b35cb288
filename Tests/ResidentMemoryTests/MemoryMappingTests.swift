import Testing

@testable import ResidentMemory

@Suite("Memory mappings")
struct MemoryMappingTests {
    private func mapping(_ header: String, anonymous: String = "0 kB", swapped: String = "0 kB") -> String {
        """
        \(header)
        Size:               1024 kB
        Rss:                 900 kB
        Anonymous:        \(anonymous)
        Swap:             \(swapped)
        SwapPss:               8 kB
        VmFlags: rd ex mr mw me sd

        """
    }

    private func list(_ texts: String...) -> [MemoryMapping] { MemoryMapping.list(smaps: Array(texts.joined().utf8)) }

    @Test("Pages of a program's code can be had again")
    func code() throws {
        let mapping = try #require(list(mapping("55d0a000-55d0b000 r-xp 00001000 08:01 1234                       /usr/bin/with a space")).first)
        #expect(mapping.addresses == 0x55d0_a000..<0x55d0_b000)
        #expect(mapping.isReplaceable)
    }

    @Test(
        "What may differ from its file is kept: written, changed by the loader, of no file at all, or not told of",
        arguments: [
            ("7f00-7f10 rw-p 00001000 08:01 1234 /lib/libc.so.6", "0 kB"), ("7f00-7f10 r--p 00001000 08:01 1234 /lib/libc.so.6", "16 kB"),
            ("7f00-7f10 r-xp 00001000 08:01 1234 /lib/libc.so.6", "108 kB"), ("7f00-7f10 r--p 00000000 00:00 0", "0 kB"),
            ("7f00-7f10 r-xp 00000000 00:00 0                          [vdso]", "0 kB"),
        ])
    func kept(_ header: String, _ anonymous: String) throws {
        let mapping = try #require(list(mapping(header, anonymous: anonymous)).first)
        #expect(!mapping.isReplaceable)
        #expect(try !#require(list(header + "\nRss: 4 kB\n").first).isReplaceable)
    }

    @Test("What was changed and is all in swap is kept, and what little is told of")
    func swapped() throws {
        let header = "7f00-7f10 r--p 00001000 08:01 1234 /lib/libc.so.6"
        #expect(try !#require(list(mapping(header, swapped: "16 kB")).first).isReplaceable)
        #expect(try !#require(list(header + "\nAnonymous: 0 kB\n").first).isReplaceable)
        #expect(try !#require(list(header + "\nSwap: 0 kB\n").first).isReplaceable)
        #expect(try #require(list(mapping(header)).first).isReplaceable)
    }

    @Test("Each mapping has what stands below it")
    func several() {
        let mappings = list(
            mapping("1000-2000 r-xp 00000000 08:01 1 /a", anonymous: "4 kB"), mapping("2000-3000 r-xp 00000000 08:01 1 /a"),
            mapping("3000-4000 rw-p 00000000 00:00 0 [heap]", anonymous: "4 kB"))
        #expect(mappings.map(\.isReplaceable) == [false, true, false])
    }

    @Test("Text that is something else gives nothing")
    func other() {
        #expect(list("").isEmpty)
        #expect(list("Anonymous: 4 kB\n").isEmpty)
        #expect(list("x-y r-xp 00000000 08:01 1 /a\n2000-1000 r-xp 00000000 08:01 1 /a\n1000-2000\n\n").isEmpty)
    }
}
