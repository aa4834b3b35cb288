/// A range of a process's memory, as `/proc/PID/smaps` of Linux tells of it.
struct MemoryMapping: Hashable {
    var addresses: Range<UInt>
    var isWritable: Bool
    /// Whether it shows a file; memory of no file is gone when it is let go.
    var isOfFile: Bool
    /// What is told of pages that are not those of the file, since the loader, or a debugger, has changed them: in memory, and in swap.
    private var hasAnonymousPages: Bool?
    private var hasSwappedPages: Bool?

    /// Whether some of its pages may not be those of the file.
    var isChanged: Bool { hasAnonymousPages != false || hasSwappedPages != false }

    /// Whether its pages can be had again as they are.
    var isReplaceable: Bool { isOfFile && !isWritable && !isChanged }

    /// Reads `START-END PERMISSIONS OFFSET DEVICE INODE [PATH]`; nil if the line is another one.
    private init?(line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
        guard fields.count >= 5, let dash = fields[0].firstIndex(of: UInt8(ascii: "-")), fields[1].count == 4 else { return nil }
        guard let start = Self.number(fields[0][..<dash]), let end = Self.number(fields[0][(dash + 1)...]), start <= end else { return nil }
        addresses = start..<end
        isWritable = fields[1].dropFirst().first == UInt8(ascii: "w")
        isOfFile = fields.count > 5 && fields[5].first { $0 != UInt8(ascii: " ") } == UInt8(ascii: "/")
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt? { UInt(String(decoding: digits, as: UTF8.self), radix: 16) }

    /// All mappings of a process.
    ///
    /// - Parameter text: of its `smaps`. Of a mapping that the text says too little of it is taken that it is changed.
    static func list(smaps text: [UInt8]) -> [MemoryMapping] {
        let anonymous = Array("Anonymous:".utf8), swapped = Array("Swap:".utf8)
        var mappings: [MemoryMapping] = []
        for line in text.split(separator: UInt8(ascii: "\n")) {
            if let last = mappings.indices.last, line.starts(with: anonymous) {
                mappings[last].hasAnonymousPages = isSome(line)
            } else if let last = mappings.indices.last, line.starts(with: swapped) {
                mappings[last].hasSwappedPages = isSome(line)
            } else if let first = line.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first), let mapping = MemoryMapping(line: line) {
                mappings.append(mapping)
            }
        }
        return mappings
    }

    /// Whether a size is told of that is not 0.
    private static func isSome(_ line: ArraySlice<UInt8>) -> Bool { line.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) } }
}
