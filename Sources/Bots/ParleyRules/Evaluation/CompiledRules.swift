internal import ChatProtocol
internal import Parley
internal import UnicodeText

/// Checks with everything that they look for compiled.
indirect enum CompiledCheck: Sendable {
    case all([CompiledCheck])
    case any([CompiledCheck])
    case not(CompiledCheck)
    case leaf(CompiledLeaf)
}

/// A check with its source, for explanations. A class, because rules are looked at more often than made.
final class CompiledLeaf: Sendable {
    /// The search that answers it; nil for a check that needs none.
    let search: CompiledSearch?
    let check: Check

    init(_ search: CompiledSearch?, _ check: Check) {
        self.search = search
        self.check = check
    }
}

/// A rule with its compiled condition.
final class CompiledRule: Sendable {
    let rule: RuleSpec
    let kinds: ChatKinds
    let when: CompiledCheck
    let unless: CompiledCheck?
    /// True if no later rule is tried when this one applies.
    let isLast: Bool

    init(_ rule: RuleSpec, _ compiler: inout RuleCompiler) {
        self.rule = rule
        compiler.judgesFileNames = rule.isModerating
        kinds = rule.when.members.kinds
        when = compiler.compile(rule.when.tree)
        unless = rule.unless.map { compiler.compile($0) }
        isLast = rule.isLast
    }

    func applies(_ facts: inout InputFacts) -> Bool {
        guard kinds.isSuperset(of: facts.input.chat), when.evaluate(&facts) == .yes, !rule.isExempt(facts.input) else { return false }
        guard let unless else { return true }
        return unless.evaluate(&facts) == .no
    }

    /// The finding that templates can name: the match of the pattern, or else the first entry or domain that is found.
    func match(_ facts: inout InputFacts, _ searches: [WordSearch]) -> PatternMatch? {
        if let pattern = rule.when.pattern { return facts.firstMatch(of: pattern, withFileName: rule.isModerating) }
        return rule.when.isSearch ? when.finding(&facts, searches).map { PatternMatch($0) } : nil
    }
}

extension CompiledCheck {
    /// The first entry or domain that a check finds; checks of `not` find nothing.
    fileprivate func finding(_ facts: inout InputFacts, _ searches: [WordSearch]) -> String? {
        switch self {
        case .not: return nil
        case .all(let checks), .any(let checks):
            for check in checks {
                if let found = check.finding(&facts, searches) { return found }
            }
            return nil
        case .leaf(let leaf):
            switch leaf.search {
            case .words(let groups, let withFileName):
                for (search, group) in groups {
                    if let entry = facts.hit(search, group, withFileName: withFileName) { return searches[search].entry(entry) }
                }
                return nil
            case .pattern, nil: return leaf.check.test.finding(&facts)
            }
        }
    }
}

/// A search for a check, by the numbers of its entries.
enum CompiledSearch: Sendable {
    /// The words that answer the check, any of them: pairs of automaton and group.
    case words([(automaton: Int, group: Int)], withFileName: Bool)
    /// A pattern with its number in the shared set.
    case pattern(Int, TextPattern, withFileName: Bool)
}

/// Collects what rules look for.
struct RuleCompiler {
    private(set) var patterns: [String] = []
    /// True while the checks are of a rule that moderates: the name of a file is judged then like a text.
    var judgesFileNames = false
    private var automata: [SearchKey: Builder] = [:]
    private var order: [SearchKey] = []
    private var listGroups: [String: (automaton: Int, group: Int)] = [:]
    private let lists: [String: ListSpec]

    private struct SearchKey: Hashable {
        let subject: WordSearch.Subject
        let form: TextNormalization
    }

    private struct Builder {
        var entries: [WordAutomaton.Entry] = []
        var groups = 0
    }

    init(lists: [String: ListSpec]) { self.lists = lists }

    /// The automata, each with the form of texts that it reads.
    var searches: [WordSearch] {
        order.compactMap { key in
            automata[key].map { WordSearch(subject: key.subject, form: key.form, automaton: WordAutomaton($0.entries, groupCount: $0.groups)) }
        }
    }

    mutating func compile(_ tree: CheckTree) -> CompiledCheck {
        switch tree {
        case .all(let trees, _): return .all(trees.map { compile($0) })
        case .any(let trees, _): return .any(trees.map { compile($0) })
        case .not(let tree, _): return .not(compile(tree))
        case .check(let check): return .leaf(CompiledLeaf(check.test.search(&self), check))
        }
    }

    /// A search for texts that are the whole of a message.
    mutating func search(forWhole texts: [String]) -> CompiledSearch {
        .words([group(texts.map { entry(String($0.trimmed), .letterCase, isWhole: true) }, in: .letterCase)], withFileName: false)
    }

    /// A search for parts of texts.
    mutating func search(forParts parts: [String], except exceptions: [String]) -> CompiledSearch {
        let exceptions = exceptions.map { entry($0, .letterCase, isException: true) }
        return .words([group(parts.map { entry($0, .letterCase) } + exceptions, in: .letterCase)], withFileName: judgesFileNames)
    }

    /// A search for words.
    mutating func search(for words: WordTest, of subject: WordSearch.Subject = .text) -> CompiledSearch {
        .words(groups(words, of: subject), withFileName: judgesFileNames && subject == .text)
    }

    /// A search for matches of a pattern.
    mutating func search(for pattern: TextPattern) -> CompiledSearch {
        patterns.append(pattern.source)
        return .pattern(patterns.count - 1, pattern, withFileName: judgesFileNames)
    }

    private mutating func groups(_ test: WordTest, of subject: WordSearch.Subject = .text) -> [(automaton: Int, group: Int)] {
        var groups = test.lists.compactMap { list(lists[$0], test.exceptions, subject) }
        if !test.words.isEmpty {
            groups.append(group(words(test.words, test.exceptions, test.normalization), in: test.normalization, of: subject))
        }
        return groups
    }

    /// The group of a list: rules that name the same list share it, unless they make exceptions.
    private mutating func list(_ list: ListSpec?, _ exceptions: [String], _ subject: WordSearch.Subject) -> (automaton: Int, group: Int)? {
        guard let list else { return nil }
        let key = exceptions.isEmpty ? "\(subject) \(list.id)" : nil
        if let key, let known = listGroups[key] { return known }
        let made = group(words(list.entries, exceptions, list.normalization), in: list.normalization, of: subject)
        if let key { listGroups[key] = made }
        return made
    }

    private func words(_ words: [String], _ exceptions: [String], _ form: TextNormalization) -> [WordAutomaton.Entry] {
        words.flatMap { entries($0, form) }
            + exceptions.flatMap { text in
                entries(text, form).map { entry in
                    var entry = entry
                    entry.isException = true
                    return entry
                }
            }
    }

    /// The entry of a word or phrase and, if separated letters are searched for, its letters without the spaces and signs between them.
    private func entries(_ text: String, _ form: TextNormalization) -> [WordAutomaton.Entry] {
        let entry = word(text, form)
        guard form.contains(.spaces) else { return [entry] }
        var spread = entry
        spread.bytes.removeAll { $0 < 0x80 && !($0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x7A || $0 >= 0x41 && $0 <= 0x5A) }
        spread.isSpread = true
        return spread.bytes.count == entry.bytes.count || spread.bytes.isEmpty ? [entry] : [entry, spread]
    }

    private func entry(_ text: String, _ form: TextNormalization, isWhole: Bool = false, isException: Bool = false) -> WordAutomaton.Entry {
        WordAutomaton.Entry(
            bytes: form.form(ofEntry: text).bytes, startsWord: false, endsWord: false, isWhole: isWhole, group: 0, isException: isException, source: text)
    }

    /// A word whose stars say at which end more letters may follow.
    private func word(_ text: String, _ form: TextNormalization) -> WordAutomaton.Entry {
        let source = String(text.trimmed)
        var text = text.trimmed
        let opens = text.first == "*", closes = text.count > 1 && text.last == "*"
        if opens { text = text.dropFirst() }
        if closes { text = text.dropLast() }
        let bytes = form.form(ofEntry: String(text.trimmed)).bytes
        return WordAutomaton.Entry(bytes: bytes, startsWord: !opens, endsWord: !closes, group: 0, source: source)
    }

    private mutating func group(_ entries: [WordAutomaton.Entry], in form: TextNormalization, of subject: WordSearch.Subject = .text)
        -> (automaton: Int, group: Int)
    {
        let key = SearchKey(subject: subject, form: form)
        if automata[key] == nil {
            automata[key] = Builder()
            order.append(key)
        }
        let number = automata[key]?.groups ?? 0
        automata[key]?.groups += 1
        automata[key]?.entries += entries.lazy.filter { !$0.bytes.isEmpty }.map { entry in
            var entry = entry
            entry.group = number
            return entry
        }
        return (order.firstIndex(of: key) ?? 0, number)
    }
}

/// An automaton, and what it reads in which form.
struct WordSearch: Sendable {
    /// The part of an event that is read.
    enum Subject: Sendable, Hashable {
        case text
        /// The display name of the writer or the member.
        case name
        /// The names of the group.
        case group
    }

    let subject: Subject
    let form: TextNormalization
    let automaton: WordAutomaton

    /// For each group an entry that was found; -1 for none.
    ///
    /// - Parameters:
    ///   - texts: texts that an entry can be the whole of.
    ///   - others: the other texts.
    func hits(in texts: [String], and others: [String]) -> [Int32] {
        var hits = [Int32](repeating: -1, count: automaton.groupCount)
        guard !automaton.entries.isEmpty else { return hits }
        for text in texts {
            for form in form.forms(of: text) { automaton.scan(form, into: &hits) }
        }
        for text in others {
            for form in form.forms(of: text) { automaton.scan(form, isWhole: false, into: &hits) }
        }
        return hits
    }

    /// The entry as it was written.
    func entry(_ index: Int32) -> String { automaton.entries[Int(index)].source }
}
