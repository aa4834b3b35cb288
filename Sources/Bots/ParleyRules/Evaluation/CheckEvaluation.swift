internal import ChatProtocol
internal import Parley
internal import UnicodeText

/// The answer to a check.
enum Truth: Sendable, Hashable {
    case yes, no
    /// The event does not tell. A rule never applies because of an answer that is not known.
    case unknown

    init(_ value: Bool) { self = value ? .yes : .no }

    /// Yes for no and no for yes.
    static prefix func ! (truth: Truth) -> Truth {
        switch truth {
        case .yes: .no
        case .no: .yes
        case .unknown: .unknown
        }
    }
}

extension CompiledCheck {
    /// The answer of the whole tree. Evaluation ends as soon as the answer is certain.
    func evaluate(_ facts: inout InputFacts) -> Truth {
        switch self {
        case .leaf(let leaf): return leaf.test.evaluate(leaf.check.test, &facts)
        case .not(let check): return !check.evaluate(&facts)
        case .all(let checks):
            var result = Truth.yes
            for check in checks {
                switch check.evaluate(&facts) {
                case .yes: continue
                case .no: return .no
                case .unknown: result = .unknown
                }
            }
            return result
        case .any(let checks):
            var result = Truth.no
            for check in checks {
                switch check.evaluate(&facts) {
                case .no: continue
                case .yes: return .yes
                case .unknown: result = .unknown
                }
            }
            return result
        }
    }
}

extension CompiledTest {
    func evaluate(_ test: Check.Test, _ facts: inout InputFacts) -> Truth {
        switch self {
        case .words(let groups, let withFileName):
            if let truth = test.truthBeforeSearch(facts.input) { return truth }
            for (search, group) in groups where facts.hit(search, group, withFileName: withFileName) != nil { return .yes }
            return .no
        case .pattern(let index, let withFileName):
            return Truth(facts.matchingPatterns.contains(index) || withFileName && facts.patternsOfFileName.contains(index))
        case .other: return test.isAboutText ? test.textTruth(&facts) : test.truth(facts.input)
        }
    }
}

extension Check.Test {
    /// True for tests that look into the text.
    fileprivate var isAboutText: Bool {
        switch self {
        case .command, .domains, .link, .length, .wordCount, .lines, .capitals, .emoji, .marks, .repeated, .blank, .invisible: true
        default: false
        }
    }

    fileprivate func textTruth(_ facts: inout InputFacts) -> Truth {
        switch self {
        case .command(let names): return Truth(facts.commandWord.map { word in names.contains { $0.folded == word } } ?? false)
        case .link(let kind): return Truth(Self.holds(kind, facts.links))
        case .domains(let test): return Truth(test.finding(in: facts.links) != nil)
        case .marks(let range): return Truth(range.holds(facts.marks))
        case .invisible(let wanted): return Truth(facts.hasInvisible == wanted)
        default: break
        }
        guard facts.hasText else { return .unknown }
        switch self {
        case .length(let range): return Truth(range.holds(facts.length))
        case .wordCount(let range): return Truth(range.holds(facts.wordCount))
        case .lines(let range, let width): return Truth(range.holds(Double(TextMeasures.lines(facts.shown, width: width))))
        case .capitals(let range): return facts.capitals.map { Truth(range.holds($0)) } ?? .unknown
        case .emoji(let range): return Truth(range.holds(facts.emoji))
        case .repeated(let times, let length): return Truth(TextMeasures.repeats(facts.shown, times: times, length: length))
        case .blank(let wanted): return Truth(facts.isBlank == wanted)
        default: return .unknown
        }
    }

    /// The answer without a search: for a name, if it is not known or does not match.
    fileprivate func truthBeforeSearch(_ input: RuleInput) -> Truth? {
        guard case .name(let test) = self else { return nil }
        guard let name = input.displayName else { return .unknown }
        return test.pattern.map { $0.matches(name) } == false ? .no : nil
    }

    private static func holds(_ kind: LinkTest, _ links: TextLinks) -> Bool {
        switch kind {
        case .any: !links.isEmpty
        case .none: links.isEmpty
        case .simplex: links.hasSimplexLink
        case .web: !links.linkHosts.isEmpty
        case .address: links.hasAddress || links.hasSimplexLink
        }
    }

    fileprivate func truth(_ input: RuleInput) -> Truth {
        switch self {
        case .kind(let kinds): Truth(input.kind.map(kinds.contains) ?? false)
        case .reaction(let emoji): Truth(input.emoji.map { emoji.contains($0.folded) } ?? false)
        case .change(let changes): Truth(input.change.map(changes.contains) ?? false)
        case .relay(let changes): Truth(input.relay.map(changes.contains) ?? false)
        case .mentions(let range): Truth(range.holds(Double(input.mentions)))
        case .forwarded(let wanted): Truth(input.isForwarded == wanted)
        case .comment(let wanted): Truth(input.isComment == wanted)
        case .file(let condition): Truth(input.file.map(condition.holds) ?? false)
        case .mention: Truth(input.mentionsBot)
        case .from(let names): input.sender.map { Truth(input.isTrusted && names.contains($0)) } ?? .unknown
        case .name(let test): input.displayName.map { name in Truth(test.pattern.map { $0.matches(name) } ?? false) } ?? .unknown
        case .bot(let wanted): Truth(input.isFromBot == wanted)
        case .role(let roles): Truth(input.role.map(roles.contains) ?? false)
        case .age(let range): input.memberAge.map { Truth(range.holds($0)) } ?? .unknown
        case .group(let names): Truth(!input.isForeignGroup && input.groupNames.contains(where: names.contains))
        case .hours(let range): input.minuteOfDay.map { range.truth($0, at: input.time) } ?? .unknown
        case .points(let range): input.points.map { Truth(range.holds(Double($0))) } ?? .unknown
        case .rate(let rate):
            input.rates[RuleInput.Rate(rate)].map { Truth(rate.count.holds(Double($0))) } ?? .unknown
        case .custom(let test): test.evaluate(input).map { Truth($0) } ?? .unknown
        default: .unknown
        }
    }
}
