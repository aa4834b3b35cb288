internal import ArgumentParser
internal import Parley
internal import SMPServer

/// `parley server`: routers.
struct ServerCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Run a router.", subcommands: [RouterCommandLine.self, FileRouterCommandLine.self])
}

/// `parley server smp`: a message router, and what its operator does.
struct RouterCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "smp", abstract: "Run a message router.",
        subcommands: [Init.self, Start.self, Address.self, Stats.self, Compact.self, Sessions.self, Queue.self, Renew.self],
        defaultSubcommand: Start.self)

    /// The folder of a router.
    struct Folder: ParsableArguments, RouterFolder {
        @Option(help: "The folder for keys, queues, messages and router.yaml.")
        var data = "parley-router-data"

        @Flag(help: "Print JSON, one object a line, for scripts.")
        var json = false

        var control: ControlClient { ControlClient(folder: data) }
    }
}
