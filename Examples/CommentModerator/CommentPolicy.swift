import Foundation
import Parley

/// The rules of comments, as a value without I/O.
struct CommentPolicy: Sendable {
    /// Words that delete a comment, in lower case and without accents.
    var words: Set<String>
    var allowsLinks: Bool
    /// The comments that one person may write within ``floodWindow``.
    var floodLimit = 5
    /// In seconds.
    var floodWindow = 30.0
    /// The offences of a person that are answered with a warning; the next one with a block.
    var warnings = 2
    /// The members who must report a comment before it is deleted.
    var reportLimit = 3

    enum Offence: String, Codable, Sendable {
        case word = "that word is not used here"
        case link = "links are not allowed here"
        case flood = "slow down, please"
    }

    /// - Parameter words: separated by commas; case and accents do not count.
    init(words: String, allowsLinks: Bool) {
        self.words = Set(words.split(separator: ",").map { Self.folded($0.trimmingCharacters(in: .whitespaces)) }.filter { !$0.isEmpty })
        self.allowsLinks = allowsLinks
    }

    /// The offence of a text by itself; nil for a text that is allowed.
    func offence(of text: String) -> Offence? {
        let folded = Self.folded(text)
        if folded.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).contains(where: { words.contains(String($0)) }) { return .word }
        let links = ["http://", "https://", "www.", "simplex:/"]
        return !allowsLinks && links.contains(where: folded.contains) ? .link : nil
    }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
    }
}

/// The comments and offences of a person, over restarts.
struct CommenterRecord: StoredState {
    /// The times of the last comments, in seconds.
    var comments: [Double] = []
    var offences = 0

    enum Verdict: Hashable, Sendable {
        case allowed
        case warned(CommentPolicy.Offence)
        case blocked(CommentPolicy.Offence)
    }

    /// Decides on a comment.
    ///
    /// - Parameter time: in seconds.
    mutating func decide(_ text: String, at time: Double, by policy: CommentPolicy) -> Verdict {
        comments = Array((comments.filter { time - $0 < policy.floodWindow } + [time]).suffix(policy.floodLimit + 1))
        guard let offence = policy.offence(of: text) ?? (comments.count > policy.floodLimit ? .flood : nil) else { return .allowed }
        offences += 1
        return offences > policy.warnings ? .blocked(offence) : .warned(offence)
    }
}

/// The members who reported comments.
struct Reports: StoredState {
    /// The comments that are remembered at the most, the newest.
    static let capacity = 1_000

    private struct Entry: Codable {
        var item: Int64
        var reporters: Set<String> = []
    }

    private var entries: [Entry] = []

    init() {}

    /// Notes a report.
    ///
    /// - Returns: true if this report completes the number that is needed.
    mutating func add(_ item: Int64, by reporter: String, limit: Int) -> Bool {
        var entry = entries.first { $0.item == item } ?? Entry(item: item)
        guard entry.reporters.count < limit, entry.reporters.insert(reporter).inserted else { return false }
        entries.removeAll { $0.item == item }
        entries = (entries + [entry]).suffix(Self.capacity)
        return entry.reporters.count == limit
    }
}
