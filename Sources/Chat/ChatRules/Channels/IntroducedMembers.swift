package import SMPWire

/// The members of a channel to whom its relay has introduced one of them: a bit for each, in pages that are read and written as deliveries come to them.
package struct IntroducedMembers: Hashable, Sendable {
    /// Members of a page.
    package static let pageSize: Int64 = 2_048

    /// The pages by their numbers.
    private var pages: [Int64: Bytes]
    /// The pages with a new bit.
    package private(set) var changed: Set<Int64> = []

    package init(_ pages: [Int64: Bytes] = [:]) { self.pages = pages }

    /// The numbers of the pages that have some members, by their indexes in the channel.
    package static func pageNumbers(of indexes: [Int64]) -> Set<Int64> { Set(indexes.filter { $0 >= 0 }.map { $0 / pageSize }) }

    /// Tells whether a member knows the one whose introductions these are.
    package func isKnown(to index: Int64) -> Bool {
        guard index >= 0, let page = pages[index / Self.pageSize] else { return false }
        let bit = Int(index % Self.pageSize)
        return bit / 8 < page.count && page[bit / 8] & (1 << (bit % 8)) != 0
    }

    package mutating func introduce(to index: Int64) {
        guard index >= 0, !isKnown(to: index) else { return }
        let number = index / Self.pageSize, bit = Int(index % Self.pageSize)
        var page = pages[number] ?? []
        if page.count <= bit / 8 { page += Bytes(repeating: 0, count: bit / 8 + 1 - page.count) }
        page[bit / 8] |= 1 << (bit % 8)
        pages[number] = page
        changed.insert(number)
    }

    /// The content of a page: as many bytes as have bits.
    package func bits(ofPage number: Int64) -> Bytes { pages[number] ?? [] }
}
