import Parley

/// The entries of a feed that were posted, or that were there before the bot.
struct SeenEntries: StoredState {
    /// Digests of identifiers, those that the feed showed last at the end; nil before the feed was read for the first time.
    var digests: [String]?

    /// Entries that are remembered: more than one reading of a feed has.
    static let capacity = 4 * FeedParser.entryLimit
    /// The posts that one reading leads to; further entries come with the next ones.
    static let postLimit = 10
    /// The newest entries that are posted of a feed that is read for the first time, to show what the channel is about.
    static let firstPosts = 1

    /// The entries to post, in the order of the feed.
    func new(_ entries: [FeedEntry]) -> [FeedEntry] {
        guard let digests else { return Array(entries.suffix(Self.firstPosts)) }
        var seen = Set(digests)
        return Array(entries.filter { seen.insert(Self.digest($0.id)).inserted }.prefix(Self.postLimit))
    }

    /// Notes a reading of the feed. An entry is remembered for as long as the feed shows it.
    ///
    /// - Parameters:
    ///   - entries: everything that was read.
    ///   - posted: what was posted of it.
    mutating func note(_ entries: [FeedEntry], posted: [FeedEntry]) {
        let known = Set(digests ?? entries.map { Self.digest($0.id) }).union(posted.map { Self.digest($0.id) })
        let shown = entries.map { Self.digest($0.id) }.filter(known.contains)
        let isShown = Set(shown)
        let gone = (digests ?? []).filter { !isShown.contains($0) }
        digests = Array((gone + shown).suffix(Self.capacity))
    }

    /// A short name of an identifier: FNV-1a of 64 bits, which tells the entries of one feed apart.
    static func digest(_ id: String) -> String {
        String(id.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }, radix: 16)
    }
}
