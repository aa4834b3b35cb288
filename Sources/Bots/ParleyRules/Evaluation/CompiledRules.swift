internal import ChatProtocol
internal import Parley

/// Checks with everything that they look for compiled.
indirect enum CompiledCheck: Sendable {
    case all([CompiledCheck])
    case any([CompiledCheck])
    case not(CompiledCheck)
    case leaf(CompiledLeaf)
}

/// A check with its source, for explanations. A class, because rules are looked at more often than made.
final class CompiledLeaf: Sendable {
    let test: CompiledTest
    let check: Check

    init(_ test: CompiledTest, _ check: Check) {
        self.test = test
        self.check = check
    }
}

/// A rule with its compiled condition.
final class CompiledRule: Sendable {
    let rule: RuleSpec
    let kinds: ChatKinds
    let when: CompiledCheck
    let unless: CompiledCheck?
    /// True if no rule behind this one is tried when it applies.
    let isLast: Bool

    init(_ rule: RuleSpec, _ compiler: inout RuleCompiler) {
        self.rule = rule
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
}

/// A test that refers to what is looked for by its number.
enum CompiledTest: Sendable {
    /// The patterns of the automata that any of which answers the check: pairs of automaton and group.
    case words([(automaton: Int, group: Int)])
    /// The number of a pattern in the shared set.
    case pattern(Int)
    /// Everything that needs no search.
    case other
}

/// Collects what rules look for.
struct RuleCompiler {
    private(set) var patterns: [String] = []
    private var automata: [TextNormalization: Builder] = [:]
    private var order: [TextNormalization] = []
    private var listGroups: [String: (automaton: Int, group: Int)] = [:]
    private let lists: [String: ListSpec]

    private struct Builder {
        var entries: [WordAutomaton.Entry] = []
        var groups = 0
    }

    init(lists: [String: ListSpec]) { self.lists = lists }

    /// The automata, each with the form of texts that it reads.
    var searches: [WordSearch] {
        order.compactMap { form in automata[form].map { WordSearch(form: form, automaton: WordAutomaton($0.entries, groupCount: $0.groups)) } }
    }

    mutating func compile(_ tree: CheckTree) -> CompiledCheck {
        switch tree {
        case .all(let trees, _): return .all(trees.map { compile($0) })
        case .any(let trees, _): return .any(trees.map { compile($0) })
        case .not(let tree, _): return .not(compile(tree))
        case .check(let check): return .leaf(CompiledLeaf(test(check.test), check))
        }
    }

    private mutating func test(_ test: Check.Test) -> CompiledTest {
        switch test {
        case .text(let texts):
            return .words([group(texts.map { entry(String($0.trimmed), .letterCase, isWhole: true) }, in: .letterCase)])
        case .contains(let parts): return .words([group(parts.map { entry($0, .letterCase) }, in: .letterCase)])
        case .words(let words):
            var groups = words.lists.compactMap { list(lists[$0]) }
            if !words.words.isEmpty { groups.append(group(words.words.map { word($0, words.normalization) }, in: words.normalization)) }
            return .words(groups)
        case .pattern(let pattern):
            patterns.append(pattern.source)
            return .pattern(patterns.count - 1)
        default: return .other
        }
    }

    /// The group of a list: rules that name the same list share it.
    private mutating func list(_ list: ListSpec?) -> (automaton: Int, group: Int)? {
        guard let list else { return nil }
        if let known = listGroups[list.id] { return known }
        let made = group(list.entries.map { word($0, list.normalization) }, in: list.normalization)
        listGroups[list.id] = made
        return made
    }

    private func entry(_ text: String, _ form: TextNormalization, isWhole: Bool = false) -> WordAutomaton.Entry {
        WordAutomaton.Entry(bytes: form.form(ofEntry: text).bytes, startsWord: false, endsWord: false, isWhole: isWhole, group: 0)
    }

    /// A word whose stars say at which end more letters may follow.
    private func word(_ text: String, _ form: TextNormalization) -> WordAutomaton.Entry {
        var text = text.trimmed
        let opens = text.first == "*", closes = text.count > 1 && text.last == "*"
        if opens { text = text.dropFirst() }
        if closes { text = text.dropLast() }
        let bytes = form.form(ofEntry: String(text.trimmed)).bytes
        return WordAutomaton.Entry(bytes: bytes, startsWord: !opens, endsWord: !closes, group: 0)
    }

    private mutating func group(_ entries: [WordAutomaton.Entry], in form: TextNormalization) -> (automaton: Int, group: Int) {
        if automata[form] == nil {
            automata[form] = Builder()
            order.append(form)
        }
        let number = automata[form]?.groups ?? 0
        automata[form]?.groups += 1
        automata[form]?.entries += entries.lazy.filter { !$0.bytes.isEmpty }.map { entry in
            var entry = entry
            entry.group = number
            return entry
        }
        return (order.firstIndex(of: form) ?? 0, number)
    }
}

/// An automaton and the form of texts that it reads.
struct WordSearch: Sendable {
    let form: TextNormalization
    let automaton: WordAutomaton

    /// For each group an entry that was found; -1 for none.
    func hits(in text: String) -> [Int32] {
        var hits = [Int32](repeating: -1, count: automaton.groupCount)
        guard !automaton.entries.isEmpty else { return hits }
        for form in form.forms(of: text) { automaton.scan(form, into: &hits) }
        return hits
    }

    func entry(_ index: Int32) -> String { String(decoding: automaton.entries[Int(index)].bytes, as: UTF8.self) }
}
