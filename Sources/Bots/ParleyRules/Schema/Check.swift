internal import ChatProtocol
internal import Parley
internal import UnicodeText

/// One question about an event: a key of a condition with its value.
struct Check: Sendable {
    /// The key in the file.
    let key: String
    /// The position of its value.
    let position: SourcePosition
    /// The question.
    let test: Test
    /// True for checks that stand in `when` itself, and not in `all`, `any`, `not` or `unless`.
    var isOutermost = false
    /// True for checks of `unless`.
    var isException = false

    enum Test: Sendable {
        case kind(Set<MessageKind>)
        /// The whole text is one of these.
        case text([String])
        /// One of some texts is part of the text.
        case contains(PartTest)
        case pattern(TextPattern)
        case command([String])
        case reaction(Set<String>)
        case change(Set<MembershipEvent>)
        /// A change of a relay.
        case relay(Set<RelayEvent>)
        case words(WordTest)
        case domains(DomainTest)
        case link(LinkTest)
        case length(Comparison)
        case wordCount(Comparison)
        case lines(Comparison, width: Int?)
        case capitals(Comparison)
        case emoji(Comparison)
        /// The most marks on a letter.
        case marks(Comparison)
        case mentions(Comparison)
        case repeated(times: Int, length: Int)
        case blank(Bool)
        case invisible(Bool)
        case forwarded(Bool)
        case comment(Bool)
        case file(FileCondition)
        case mention
        case from(Set<String>)
        case name(NameTest)
        case bot(Bool)
        case role(Set<GroupMemberRole>)
        case age(Comparison)
        case group(Set<String>)
        /// One of the names of the group has words.
        case groupName(WordTest)
        case hours(HourRange)
        /// The points of warnings that count.
        case points(Comparison)
        case rate(RateTest)
        case custom(CustomTest)
    }
}

/// Words to look for: those of the rule, and those of lists.
struct WordTest: Sendable {
    var words: [String] = []
    var normalization: TextNormalization = [.letterCase, .whitespace]
    var lists: [String] = []
    /// Words and phrases within which nothing is found.
    var exceptions: [String] = []
}

/// Parts of texts to look for.
struct PartTest: Sendable {
    var parts: [String]
    /// Parts within which nothing is found.
    var exceptions: [String] = []
}

/// A name to look for: by a pattern, by words, or both.
struct NameTest: Sendable {
    var pattern: TextPattern?
    var words: WordTest?
}

/// Domains to look for: those of the rule and of lists.
struct DomainTest: Sendable {
    let domains: DomainSet
    /// Domains that are not meant, with those below them.
    var exceptions = DomainSet([])
    /// True if links to other domains are looked for.
    let outside: Bool

    /// The first host of a link that is looked for.
    func finding(in links: TextLinks) -> String? {
        // A name that leads nowhere is no link to another domain.
        (outside ? links.linkHosts : links.hosts).first { exceptions.covering($0) == nil && (domains.covering($0) == nil) == outside }
    }
}

/// The kinds of links that a rule looks for.
enum LinkTest: Sendable, Hashable {
    case any, none, simplex, web, address

    static let words: KeyValuePairs<String, LinkTest> = ["true": .any, "false": .none, "simplex": .simplex, "web": .web, "address": .address]
}

/// Checks that are put together.
indirect enum CheckTree: Sendable {
    case check(Check)
    case all([CheckTree], SourcePosition)
    case any([CheckTree], SourcePosition)
    case not(CheckTree, SourcePosition)

    /// The deepest tree: `when` itself is the first level.
    static let maximumDepth = 8
    /// Checks and branches of one rule at the most.
    static let maximumSize = 64

    /// All checks, in the order of the file.
    var checks: [Check] {
        switch self {
        case .check(let check): [check]
        case .all(let trees, _), .any(let trees, _): trees.flatMap(\.checks)
        case .not(let tree, _): tree.checks
        }
    }

    /// True if it asks for no more than the kind of message, the role, the mention and the change of a member.
    var isPlain: Bool {
        guard case .all(let trees, _) = self else { return false }
        return trees.allSatisfy { tree in
            guard case .check(let check) = tree else { return false }
            switch check.test {
            case .kind, .mention, .role, .change: return true
            default: return false
            }
        }
    }
}
