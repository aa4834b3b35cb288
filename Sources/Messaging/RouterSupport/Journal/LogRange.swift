/// A range of the journal: positions in logical bytes since the journal was created.
package struct LogRange: Hashable, Sendable {
    package var start: UInt64
    package var end: UInt64

    package init(start: UInt64, end: UInt64) {
        self.start = start
        self.end = end
    }

    package var count: Int { Int(end - start) }
}
