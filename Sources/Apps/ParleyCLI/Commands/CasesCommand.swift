internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Parley

/// `parley cases`: what bots have done to members of groups, for the one who runs them.
struct CasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cases", abstract: "Show the actions of bots against members of groups, and undo them.",
        discussion: """
            Asks the process that runs bots on the data folder or, if none does, reads its databases. A case is taken back by a running process only.
            """,
        subcommands: [List.self, Undo.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the cases, the newest first.")

        @Option(help: "Only those of a profile, by its id or name.")
        var profile: String?

        @Option(help: "Only those of a group, by its name or number.")
        var group: String?

        @Option(help: "Cases at the most, 1 to 100000.")
        var limit = 50

        @Flag(help: "Show the texts that the cases are about, too.")
        var texts = false

        @OptionGroup var options: RelayOptions

        func validate() throws {
            if !(1...100_000).contains(limit) { throw ValidationError("--limit takes 1 to 100000 cases") }
        }

        func run() async throws {
            let found = try await CasesCommand.cases(profile: profile, group: group, try options.configuration())
            if found.isEmpty, !options.json { Output.line("No cases.") }
            for entry in found.prefix(limit) { if options.json { Output.line(entry.json(withText: texts)) } else { Output.line(entry.line(withText: texts)) } }
            if found.count > limit, !options.json { Output.line("\(found.count - limit) older cases are not shown: --limit \(found.count)") }
        }
    }

    struct Undo: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo", abstract: "Take back a warning, a block or a change of a role.",
            discussion: "The bots must run. A message that was deleted and a member who was removed do not come back.")

        @Argument(help: "The number of the case, as parley cases shows it.")
        var number: Int

        @Option(help: "The profile, by its id or name: needed if several have such a case.")
        var profile: String?

        @Option(help: "The group, by its name or number: needed if several have such a case.")
        var group: String?

        @OptionGroup var options: RelayOptions

        func run() async throws {
            let configuration = try options.configuration()
            let found = try await CasesCommand.cases(profile: profile, group: group, configuration).filter { $0.number == number }
            guard let entry = found.first else {
                throw Outcome.Failed("moderation.noCase", description: "there is no case \(number): parley cases lists the existing ones")
            }
            guard found.count == 1 else {
                let groups = found.map { "\(VisibleText.name($0.groupName)) (\($0.group)) of \($0.bot)" }.joined(separator: ", ")
                throw Outcome.BadInput("moderation.severalCases", description: "several groups have a case \(number): say which one with --group, of \(groups)")
            }
            do {
                let said = try await CaseOperator.undo(number, in: GroupID(entry.group), of: UserID(entry.user), configuration)
                if options.json { Output.line(["event": "undone", "number": .int(Int64(number)), "group": .int(entry.group)]) } else { Output.line(said) }
            } catch CaseOperatorError.notRunning {
                throw Outcome.Failed("cases.notRunning", description: "no bots run on the data folder that could take it back: start parley run")
            }
        }
    }

    /// The cases of a data folder.
    private static func cases(profile: String?, group: String?, _ configuration: HostConfiguration) async throws -> [CaseView] {
        try await CaseOperator.list(configuration).compactMap(CaseView.init).filter { entry in
            (profile.map { $0 == entry.bot } ?? true) && (group.map { $0 == entry.groupName || $0 == "\(entry.group)" || $0 == "#\(entry.groupName)" } ?? true)
        }
    }
}

/// A case as the command shows it.
struct CaseView: Equatable {
    private let object: JSONValue
    let user: Int64
    let bot: String
    let group: Int64
    let groupName: String
    let number: Int

    init?(_ json: JSONValue) {
        guard let user = json["user"]?.intValue, let group = json["group"]?.intValue, let number = json["number"]?.intValue else { return nil }
        object = json
        (self.user, self.group, self.number) = (user, group, Int(clamping: number))
        (bot, groupName) = (json["bot"]?.stringValue ?? "", json["groupName"]?.stringValue ?? "")
    }

    private func string(_ key: String) -> String? { object[key]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } }
    private func time(_ key: String) -> String? { object[key]?.intValue.map { ModerationCase.text(of: Double($0)) } }

    func line(withText hasText: Bool) -> String {
        var text =
            "\(VisibleText.name(groupName.isEmpty ? "\(group)" : groupName)) \(number): \(string("action") ?? "") \(VisibleText.name(string("name") ?? ""))"
        text += ", \(time("time") ?? "")" + (time("end").map { " to \($0)" } ?? "") + " UTC"
        if let rule = string("rule") { text += ", rule \(VisibleText.name(rule))" }
        if let actor = string("by") { text += ", by \(VisibleText.name(actor))" }
        if let reason = string("reason") { text += ", \(VisibleText.line(reason))" }
        if object["unconfirmed"] != nil { text += ", perhaps not done" }
        if let other = string("undoneBy") { text += ", undone by \(VisibleText.name(other))" }
        if hasText, let words = string("text") { text += ": \(VisibleText.line(words))" }
        return text
    }

    func json(withText hasText: Bool) -> JSONValue {
        var members = [("event", JSONValue.string("case"))]
        for (key, value) in object.objectValue?.members ?? [] where hasText || key != "text" { members.append((key, value)) }
        return .object(JSONObject(members))
    }
}
