internal import ArgumentParser
internal import Hosting
internal import SystemSupport

/// `parley`: runs bots, checks their files, talks to people from a terminal, and runs a router.
@main
struct ParleyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley",
        abstract: "Bots for the SimpleX network, many in one process.",
        discussion: """
            Exit codes: 0 done, 1 failed while running, 2 bad input.
            """,
        version: VersionCommand.text,
        subcommands: [
            RunCommand.self, InitCommand.self, DoctorCommand.self, CheckCommand.self, TestCommand.self, ExplainCommand.self, ReplayCommand.self,
            SchemaCommand.self,
            ChatCommandLine.self, SendCommand.self, TopCommand.self, CasesCommand.self, RelayCommand.self,
            ProfileCommand.self, DatabaseCommandLine.self, ServerCommandLine.self, APICommand.self, VersionCommand.self,
        ])

    static func main() async {
        Heap.limitArenas()
        CrashHandling.install(program: "parley")
        do {
            OpenFiles.raiseLimit()
            if let shortage = OpenFiles.shortage() { throw Outcome.BadInput(OpenFiles.code, description: shortage) }
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Outcome.end(error)
        }
    }
}
