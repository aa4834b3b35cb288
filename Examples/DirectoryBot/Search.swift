import Foundation
import Parley

/// A group that people can find.
struct Entry: Hashable, Sendable {
    var listing: Listing
    var members: Int64

    /// Its lines in an answer.
    var text: String {
        [listing.description.name + " (\(members) \(members == 1 ? "member" : "members"))", listing.description.summary, listing.link]
            .filter { !$0.isEmpty }.joined(separator: "\n")
    }
}

/// The question that somebody asked last, for `/next`: stored for the chat.
struct Search: StoredState, Hashable {
    /// Entries in one answer.
    static let pageSize = 10

    /// Words that must all be in the description; none for every group.
    var words: [String] = []
    /// True for the newest entries first, and not those with the most members.
    var isNewestFirst = false
    /// Entries that were shown.
    var shown = 0

    init() {}

    init(_ text: String, isNewestFirst: Bool = false) {
        words = text.folded.split(whereSeparator: \.isWhitespace).map(String.init)
        self.isNewestFirst = isNewestFirst
    }

    /// The next page of answers.
    mutating func next(_ entries: [Entry]) -> String {
        let found = entries.filter { entry in
            let description = entry.listing.description.text.folded
            return words.allSatisfy(description.contains)
        }.sorted {
            isNewestFirst ? $0.listing.listedAt > $1.listing.listedAt : ($0.members, $0.listing.listedAt) > ($1.members, $1.listing.listedAt)
        }
        let page = found.dropFirst(shown).prefix(Self.pageSize)
        guard !page.isEmpty else { return shown == 0 ? "I know no such group." : "That was all." }
        shown += page.count
        return (page.map(\.text) + (found.count > shown ? ["\(found.count - shown) more: /next"] : [])).joined(separator: "\n\n")
    }
}

extension String {
    /// The text for comparisons: without regard to case and accents.
    var folded: String { folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased() }
}
