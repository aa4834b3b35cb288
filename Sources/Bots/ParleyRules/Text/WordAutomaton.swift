internal import UnicodeText

/// Many words and phrases that are looked for in one pass over a text (Aho–Corasick).
///
/// The time depends on the length of the text, not on the number of words. States with one way on hold it in place; only states where words
/// part have a row of a table, so that ten thousand words take a few megabytes.
struct WordAutomaton: Sendable {
    /// A word or phrase, and the places where it may be found.
    struct Entry: Sendable {
        /// The bytes in the form of the text.
        var bytes: [UInt8]
        /// True if no letter or digit may precede it.
        var startsWord: Bool
        /// True if no letter or digit may follow it.
        var endsWord: Bool
        /// True if it has to be the whole text but for white space.
        var isWhole = false
        /// True if it is found only if all of its letters are separated: a phrase without its spaces.
        var isSpread = false
        /// The check that looks for it.
        var group: Int
        /// True for an exception: entries within it are not found.
        var isException = false
        /// The entry as it was written.
        var source = ""
    }

    private struct State: Sendable {
        var only: UInt8 = 0
        var next: Int32 = 0
        /// The first element of the state's row, or -1.
        var row: Int32 = -1
        var failure: Int32 = 0
        /// The first entry that ends here, or -1.
        var entry: Int32 = -1
        /// The nearest shorter end of an entry, or 0.
        var shorter: Int32 = 0
    }

    let entries: [Entry]
    let groupCount: Int
    private var states = [State()]
    private var rows: [Int32] = []
    /// The column of each byte; 0 for bytes that no entry has.
    private var columns = [UInt8](repeating: 0, count: 256)
    private var width = 1
    /// The next entry that ends in the same state, or -1.
    private var following: [Int32]
    private let hasExceptions: Bool

    init(_ entries: [Entry], groupCount: Int) {
        self.entries = entries
        self.groupCount = groupCount
        hasExceptions = entries.contains(where: \.isException)
        following = [Int32](repeating: -1, count: entries.count)
        // At most 243 bytes occur in UTF-8, so that the columns fit a byte.
        for byte in Set(entries.flatMap(\.bytes)).sorted() where width < 256 {
            columns[Int(byte)] = UInt8(truncatingIfNeeded: width)
            width += 1
        }
        for (index, entry) in entries.enumerated() { insert(entry.bytes, Int32(truncatingIfNeeded: index)) }
        link()
    }

    /// Looks for all entries.
    ///
    /// - Parameters:
    ///   - isWhole: whether an entry can be the whole text.
    ///   - hits: for each group an entry that was found; -1 for none.
    func scan(_ text: NormalizedText, isWhole: Bool = true, into hits: inout [Int32]) {
        guard !entries.isEmpty else { return }
        let trimmed = isWhole ? text.trimmed : 0..<0
        var allowed = AllowedPlaces(count: text.bytes.count)
        if hasExceptions {
            forEachOccurrence(text) { entry, end in
                let found = entries[entry]
                if found.isException, stands(found, endingAt: end, in: text, trimmed) { allowed.add(end - found.bytes.count, end, group: found.group) }
            }
        }
        forEachOccurrence(text) { entry, end in
            let found = entries[entry]
            guard !found.isException, hits[found.group] < 0, stands(found, endingAt: end, in: text, trimmed),
                !allowed.covers(end - found.bytes.count, end, group: found.group)
            else { return }
            hits[found.group] = Int32(truncatingIfNeeded: entry)
        }
    }

    /// Visits all entries at all places, with the index after the last byte.
    private func forEachOccurrence(_ text: NormalizedText, _ body: (_ entry: Int, _ end: Int) -> Void) {
        let count = text.bytes.count
        var state: Int32 = 0
        text.bytes.withUnsafeBufferPointer { bytes in
            states.withUnsafeBufferPointer { states in
                rows.withUnsafeBufferPointer { rows in
                    columns.withUnsafeBufferPointer { columns in
                        for index in 0..<count {
                            state = Self.step(state, bytes[index], states, rows, columns)
                            var end = state
                            if states[Int(end)].entry < 0 { end = states[Int(end)].shorter }
                            while end != 0 {
                                var entry = states[Int(end)].entry
                                while entry >= 0 {
                                    body(Int(entry), index + 1)
                                    entry = following[Int(entry)]
                                }
                                end = states[Int(end)].shorter
                            }
                        }
                    }
                }
            }
        }
    }

    private func stands(_ entry: Entry, endingAt end: Int, in text: NormalizedText, _ trimmed: Range<Int>) -> Bool {
        let start = end - entry.bytes.count
        if entry.isWhole { return start == trimmed.lowerBound && end == trimmed.upperBound }
        if entry.isSpread, !text.isApart(start..<end) { return false }
        if entry.startsWord, start > 0, text.isWord[start - 1], text.isWord[start], !isEdge(start, of: entry, in: text),
            !isBehindShortWord(start, of: entry, in: text)
        {
            return false
        }
        if entry.endsWord, end < text.bytes.count, text.isWord[end - 1], text.isWord[end], !isEdge(end, of: entry, in: text) { return false }
        return true
    }

    /// The minimum number of letters of an entry that is found at any place among separated letters: shorter entries are parts of other words.
    private static let shortestAmongLetters = 5

    /// Checks whether a word can begin or end between two separated letters.
    private func isEdge(_ index: Int, of entry: Entry, in text: NormalizedText) -> Bool {
        guard text.isApart(index - 1..<index + 1) else { return false }
        return entry.bytes.count { $0 & 0xC0 != 0x80 } >= Self.shortestAmongLetters || text.spread[index].contains(.afterWideGap)
    }

    /// The minimum number of letters of an entry that is found after a word of one letter: `i s c a m` is `i scam`.
    private static let shortestBehindWord = 4
    /// Words of one letter.
    private static let shortWords: Set<String> = ["a", "i", "u", "o", "e", "y", "à", "é", "ó", "я", "и", "в", "с", "к", "о", "у", "η", "ο"]

    /// Checks whether a separated letter before an index is the first of its row, and a word.
    private func isBehindShortWord(_ index: Int, of entry: Entry, in text: NormalizedText) -> Bool {
        guard text.isApart(index - 1..<index + 1), entry.bytes.count(where: { $0 & 0xC0 != 0x80 }) >= Self.shortestBehindWord else { return false }
        var first = index - 1
        while first > 0, text.bytes[first] & 0xC0 == 0x80 { first -= 1 }
        guard first == 0 || !text.isWord[first - 1] else { return false }
        return Self.shortWords.contains(String(decoding: text.bytes[first..<index], as: UTF8.self))
    }

    @inline(__always) private static func step(
        _ state: Int32, _ byte: UInt8, _ states: UnsafeBufferPointer<State>, _ rows: UnsafeBufferPointer<Int32>, _ columns: UnsafeBufferPointer<UInt8>
    ) -> Int32 {
        let column = columns[Int(byte)]
        guard column != 0 else { return 0 }
        var state = state
        while true {
            let current = states[Int(state)]
            let next = current.row >= 0 ? rows[Int(current.row) + Int(column)] : current.only == byte ? current.next : 0
            if next != 0 || state == 0 { return next }
            state = current.failure
        }
    }

    private func child(_ state: Int32, _ byte: UInt8) -> Int32 {
        let current = states[Int(state)]
        return current.row >= 0 ? rows[Int(current.row) + Int(columns[Int(byte)])] : current.only == byte ? current.next : 0
    }

    private mutating func insert(_ bytes: [UInt8], _ entry: Int32) {
        guard !bytes.isEmpty else { return }
        var state: Int32 = 0
        for byte in bytes {
            var next = child(state, byte)
            if next == 0 {
                next = Int32(truncatingIfNeeded: states.count)
                states.append(State())
                connect(state, byte, next)
            }
            state = next
        }
        following[Int(entry)] = states[Int(state)].entry
        states[Int(state)].entry = entry
    }

    private mutating func connect(_ state: Int32, _ byte: UInt8, _ next: Int32) {
        let index = Int(state)
        if states[index].row < 0 {
            if states[index].next == 0, index != 0 {
                (states[index].only, states[index].next) = (byte, next)
                return
            }
            states[index].row = Int32(truncatingIfNeeded: rows.count)
            rows += repeatElement(0, count: width)
            if states[index].next != 0 { rows[Int(states[index].row) + Int(columns[Int(states[index].only)])] = states[index].next }
        }
        rows[Int(states[index].row) + Int(columns[Int(byte)])] = next
    }

    /// Sets the failure links in the order of depth.
    private mutating func link() {
        var queue: [Int32] = [0]
        var head = 0
        let bytes = (0...255).map { UInt8($0) }.filter { columns[Int($0)] != 0 }
        while head < queue.count {
            let state = queue[head]
            head += 1
            for (byte, next) in children(of: state, bytes) {
                queue.append(next)
                guard state != 0 else { continue }
                var failure = states[Int(state)].failure
                while child(failure, byte) == 0, failure != 0 { failure = states[Int(failure)].failure }
                let target = child(failure, byte)
                states[Int(next)].failure = target
                states[Int(next)].shorter = states[Int(target)].entry >= 0 ? target : states[Int(target)].shorter
            }
        }
    }

    private func children(of state: Int32, _ bytes: [UInt8]) -> [(UInt8, Int32)] {
        let current = states[Int(state)]
        if current.row < 0 { return current.next == 0 ? [] : [(current.only, current.next)] }
        return bytes.compactMap { byte in
            let next = rows[Int(current.row) + Int(columns[Int(byte)])]
            return next == 0 ? nil : (byte, next)
        }
    }
}

/// The places of a text that are exceptions of checks.
private struct AllowedPlaces {
    let count: Int
    /// For each check and byte the end of the longest allowed phrase that begins there.
    private var ends: [Int: [Int32]] = [:]
    private var isReady = false

    init(count: Int) { self.count = count }

    mutating func add(_ start: Int, _ end: Int, group: Int) {
        let end = Int32(truncatingIfNeeded: end)
        var places = ends[group] ?? [Int32](repeating: 0, count: count)
        ends[group] = nil
        places[start] = max(places[start], end)
        ends[group] = places
    }

    /// Tells whether one allowed phrase has all of a place in it.
    mutating func covers(_ start: Int, _ end: Int, group: Int) -> Bool {
        guard !ends.isEmpty else { return false }
        if !isReady {
            // The end of those that begin there or before.
            ends = ends.mapValues { places in
                var reach: Int32 = 0
                return places.map { end in
                    reach = max(reach, end)
                    return reach
                }
            }
            isReady = true
        }
        return (ends[group]?[start] ?? 0) >= Int32(truncatingIfNeeded: end)
    }
}
