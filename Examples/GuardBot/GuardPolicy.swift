import Foundation

/// The rules of a group and the penalties for breaking them. A value without I/O: it takes what was written and returns the action.
struct GuardPolicy: Sendable {
    /// Words that delete a message, in lower case and without accents.
    var forbiddenWords: Set<String> = []
    var allowsWebLinks = false
    var allowsSimpleXLinks = false
    /// More messages than this within ``floodWindow`` are a flood.
    var floodLimit = 8
    /// In seconds.
    var floodWindow = 10.0
    /// Offences that a member is warned of before the penalty.
    var warnings = 2
    var penalty = Penalty.block
    /// In seconds: an offence as old as this does not count any more.
    var forgivingPeriod = 7 * 86_400.0

    enum Penalty: String, Sendable {
        case block, remove
    }

    enum Offence: String, Sendable {
        case forbiddenWord, webLink, simpleXLink, flood
    }

    enum Verdict: Hashable, Sendable {
        case allow
        /// Delete the message, and tell the member; how often it was told before, this time included.
        case warn(Offence, count: Int)
        /// Delete the message, and apply the penalty.
        case punish(Offence)
    }

    /// The offence of a text; nil for a text that is allowed.
    func offence(of text: String) -> Offence? {
        let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
        let words = folded.split { !$0.isLetter && !$0.isNumber }.map(String.init)
        if words.contains(where: forbiddenWords.contains) { return .forbiddenWord }
        let isSimpleX = folded.contains("simplex:/") || folded.contains("https://simplex.chat/") || folded.contains(Self.shortLink)
        if isSimpleX { return allowsSimpleXLinks ? nil : .simpleXLink }
        let isWeb = folded.contains("http://") || folded.contains("https://") || folded.contains("www.")
        return isWeb && !allowsWebLinks ? .webLink : nil
    }

    /// A short SimpleX link on any router: `https://host/a#…`, with `c`, `g` or `i` for other kinds.
    private nonisolated(unsafe) static let shortLink = /https:\/\/[^\s\/]+\/[acgi]#/
}

/// The members whom a guard watches, and what it knows of them.
struct GuardRecord: Sendable {
    /// Members remembered; of more, those who wrote longest ago are forgotten.
    static let capacity = 10_000

    private struct Entry: Sendable {
        var messages: [Double] = []
        var offences: [Double] = []
        var lastSeen = 0.0
    }

    private var entries: [String: Entry] = [:]

    /// Decides on a message.
    ///
    /// - Parameters:
    ///   - member: names the member and the group.
    ///   - time: in seconds.
    mutating func decide(_ text: String, from member: String, at time: Double, by policy: GuardPolicy) -> GuardPolicy.Verdict {
        var entry = entries[member] ?? Entry()
        entry.lastSeen = time
        entry.messages = Array((entry.messages.filter { time - $0 < policy.floodWindow } + [time]).suffix(policy.floodLimit + 1))
        entry.offences.removeAll { time - $0 >= policy.forgivingPeriod }
        defer {
            entries[member] = entry
            forget()
        }
        guard let offence = policy.offence(of: text) ?? (entry.messages.count > policy.floodLimit ? .flood : nil) else { return .allow }
        entry.offences = Array((entry.offences + [time]).suffix(policy.warnings + 1))
        return entry.offences.count > policy.warnings ? .punish(offence) : .warn(offence, count: entry.offences.count)
    }

    private mutating func forget() {
        guard entries.count > Self.capacity else { return }
        let kept = entries.sorted { $0.value.lastSeen > $1.value.lastSeen }.prefix(Self.capacity / 2)
        entries = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
