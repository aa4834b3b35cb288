import Parley
import ParleyRules

/// The evaluation of rules of a bots.yaml on a message, without what they do.
enum RuleEvaluation {
    /// 100 rules: 90 that look for a thousand words together, and 10 with a pattern each.
    static func measure(effort: Double) throws -> [Figure] {
        let count = max(100, Int(20_000 * effort))
        let rules = try rules()
        // 200 characters of ordinary words; none is in a rule.
        let text = String("the quick brown fox jumps over the lazy dog while seven wise owls watch from an old oak tree ".padded(to: 200))
        var matching = text.dropLast(10) + " no 4711x9"
        if matching.count > 200 { matching = matching.prefix(200) }
        return [
            try Figure("rules: 100 rules, 1,000 words, 10 patterns, 200 characters, none applies", time(rules, text, 0, count), .microseconds),
            try Figure("rules: the same, the last applies", time(rules, String(matching), 1, count), .microseconds),
        ]
    }

    private static func time(_ rules: RuleSet, _ text: String, _ applying: Int, _ count: Int) throws -> Double {
        let input = RuleInput(event: .message, kind: .text, text: text)
        guard rules.decide(input).count == applying else { throw BenchError("\(rules.decide(input).count) rules apply, not \(applying)") }
        let start = ContinuousClock.now
        for _ in 0..<count { _ = rules.decide(input) }
        return (ContinuousClock.now - start).seconds / Double(count) * 1e6
    }

    private static func rules() throws -> RuleSet {
        var yaml = "parley: 1\nprofiles:\n  a:\n    rules:\n"
        var word = 0
        for rule in 0..<90 {
            let words = (0..<(rule < 10 ? 12 : 11)).map { _ in
                word += 1
                return "blocked\(word)"
            }
            yaml += "      - { when: { words: [\(words.joined(separator: ", "))] }, then: { reply: no } }\n"
        }
        for pattern in 0..<10 { yaml += "      - { when: { pattern: \"\\\\bno [0-9]{4}x\(pattern)\\\\b\" }, then: { reply: no } }\n" }
        let file = try BotsFile(parsing: yaml)
        return try RuleSet(file.profiles[0].rules, lists: file.lists)
    }
}

extension String {
    /// The text, repeated until it has so many characters.
    fileprivate func padded(to length: Int) -> Substring { String(repeating: self, count: length / count + 1).prefix(length) }
}
