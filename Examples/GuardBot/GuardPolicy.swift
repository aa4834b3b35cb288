import Foundation

/// The rules of a group and the penalties for breaking them. A value without I/O: it takes what was written and returns the action.
struct GuardPolicy: Sendable {
    /// Words that delete a message, in lower case and without accents.
    var forbiddenWords: Set<String> = []
    var allowsWebLinks = false
    var allowsSimpleXLinks = false
    /// More messages than this within ``floodWindow`` are a flood.
    var floodLimit = 8
    /// The times of so many messages of a member are kept in memory at the most.
    static let highestFloodLimit = 10_000
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

/// Counts the messages of members.
struct FloodCounter: Sendable {
    /// Members remembered; of more, those who wrote longest ago are forgotten.
    static let capacity = 10_000

    private var messages: [String: [Double]] = [:]

    /// Notes a message.
    ///
    /// - Parameters:
    ///   - member: names the member and the group.
    ///   - time: in seconds.
    /// - Returns: true if the member has written more than the policy allows.
    mutating func note(_ member: String, at time: Double, by policy: GuardPolicy) -> Bool {
        let recent = Array(((messages[member] ?? []).filter { time - $0 < policy.floodWindow } + [time]).suffix(policy.floodLimit + 1))
        messages[member] = recent
        forget()
        return recent.count > policy.floodLimit
    }

    private mutating func forget() {
        guard messages.count > Self.capacity else { return }
        let kept = messages.sorted { ($0.value.last ?? 0) > ($1.value.last ?? 0) }.prefix(Self.capacity / 2)
        messages = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
