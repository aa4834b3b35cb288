internal import ArgumentParser
internal import ChatProtocol
internal import Hosting
internal import ParleyRules

/// `parley explain`: which rules apply to a message, and why. Starts nothing.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Show which rules of a bots.yaml apply to an event, and the answer of each check.")

    @Argument(help: "The file to read.")
    var file = "bots.yaml"

    @Option(help: "The text of a message.")
    var say: String?

    @Option(
        help: ArgumentHelp(
            "Another event or a circumstance, in the words of a test, as key=value: edited=text, member=joined, role=member, member-age=2h.",
            valueName: "key=value"))
    var with: [String] = []

    @Option(help: "The kind of chat: contact, group, support or business.")
    var chat: String?

    @Option(help: "The writer's role in the group.")
    var role: String?

    @Option(help: "The writer's display name.")
    var name: String?

    @Option(help: "The rules of this profile only, by its key or name.")
    var profile: String?

    @Flag(help: "Print one JSON object for each rule.")
    var json = false

    func validate() throws {
        if say == nil, with.isEmpty { throw ValidationError("give a text with --say, or another event with --with, such as --with member=joined") }
        if let word = with.first(where: { !$0.contains("=") }) { throw ValidationError("--with \(word) has no \"=\"") }
    }

    func run() throws {
        let description = try BotsFile(contentsOf: file)
        let profiles = try ProfileChoice.profiles(of: description, named: profile)
        let scenario = try self.scenario()
        for profile in profiles {
            let rules = try RuleSet(profile.rules, lists: description.lists)
            let explanations = rules.explain(scenario, bot: profile.name)
            if json {
                for explanation in explanations { Output.line(ExplanationReport.json(explanation, profile: profile.id)) }
            } else {
                show(explanations, profile)
            }
        }
    }

    private func scenario() throws -> RuleScenario {
        var words: [(key: String, value: String)] = []
        for (key, value) in [("say", say), ("chat", chat), ("role", role), ("name", name)] { if let value { words.append((key, value)) } }
        for word in with {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            words.append((String(parts[0]), String(parts[1])))
        }
        do throws(BotsFileError) {
            return try RuleScenario(words)
        } catch {
            let faults = error.diagnostics.map { $0.message + ($0.hint.map { ": " + $0 } ?? "") }
            throw Outcome.BadInput(description: faults.joined(separator: "; "))
        }
    }

    private func show(_ explanations: [RuleExplanation], _ profile: ProfileSpec) {
        Output.line("\(profile.id): \(explanations.count) rule\(explanations.count == 1 ? "" : "s") about this event")
        for explanation in explanations { Output.line(ExplanationReport.text(explanation, file: file)) }
        if !explanations.contains(where: { $0.verdict == .applies || $0.verdict == .audits }) { Output.line("  no rule applies") }
    }
}

/// An explanation as a person and as a script reads it.
enum ExplanationReport {
    static func text(_ explanation: RuleExplanation, file: String) -> String {
        let verdict =
            switch explanation.verdict {
            case .applies: "applies: " + explanation.actions.map(\.description).joined(separator: ", ")
            case .audits: "applies, and would in enforce mode: " + explanation.actions.map(\.description).joined(separator: ", ")
            case .doesNotApply: "does not apply"
            case .otherChat: "is for other kinds of chat"
            case .exempt: "is not for members of this role"
            case .otherBot: "is not about what other bots write in groups"
            case .notTried: "is not tried: a rule above it applied first"
            }
        var lines = ["  \(explanation.rule.label) (\(file):\(explanation.rule.position.line)) \(verdict)"]
        for step in explanation.steps { add(step, to: &lines, depth: 2) }
        return lines.joined(separator: "\n")
    }

    private static func add(_ step: RuleExplanation.Step, to lines: inout [String], depth: Int) {
        // A mapping with one check is that check.
        if step.key == "all", step.steps.count == 1 { return add(step.steps[0], to: &lines, depth: depth) }
        let mark = step.holds.map { $0 ? "yes" : "no " } ?? "?  "
        let reason = step.reason.isEmpty ? "" : ": \(step.reason)"
        lines.append(String(repeating: "  ", count: depth) + "\(mark) \(step.key) (line \(step.position.line))\(reason)")
        for inner in step.steps { add(inner, to: &lines, depth: depth + 1) }
    }

    static func json(_ explanation: RuleExplanation, profile: String) -> JSONValue {
        Output.object { object in
            object["profile"] = profile
            object["rule"] = explanation.rule.label
            object["line"] = explanation.rule.position.line
            object["verdict"] = explanation.verdict.rawValue
            object["actions"] = JSONValue.array(explanation.actions.map { .string($0.description) })
            object["steps"] = JSONValue.array(explanation.steps.map(json))
        }
    }

    private static func json(_ step: RuleExplanation.Step) -> JSONValue {
        Output.object { object in
            object["key"] = step.key
            object["line"] = step.position.line
            object["holds"] = step.holds
            if !step.reason.isEmpty { object["reason"] = step.reason }
            if !step.steps.isEmpty { object["steps"] = JSONValue.array(step.steps.map(json)) }
        }
    }
}
