internal import ArgumentParser

/// `parley server`: routers.
struct ServerCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Run a router.",
        subcommands: [RouterCommandLine<MessageRouterSettings>.self, RouterCommandLine<FileRouterSettings>.self])
}

/// `parley server smp` and `parley server xftp`: a router of a kind, and what its operator does.
struct RouterCommandLine<Settings: RouterSettings>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Settings.words.command, abstract: "Run a \(Settings.words.kind).",
            subcommands: [Init.self, Start.self, Address.self, Stats.self, Compact.self] + Settings.commands + [Renew.self], defaultSubcommand: Start.self)
    }

    typealias Folder = RouterFolder<Settings>
}

/// The options that name the data folder of a router.
struct RouterFolder<Settings: RouterSettings>: ParsableArguments {
    @Option(help: "The folder for \(Settings.words.contents) and \(Settings.words.file).")
    var data = Settings.words.folder

    @Flag(help: "Print JSON, one object a line, for scripts.")
    var json = false

    var control: ControlClient { ControlClient(folder: data, kind: Settings.words.command) }

    /// Becomes the owner of the folder. To be called before anything is written there.
    func actAsOwner() throws { try FolderOwner.become(of: data) }

    /// Asks the router about the thing with an id, and shows the few members of its answer, one a line.
    func ask(_ command: String, _ id: String, _ arguments: String = "") throws {
        try RouterAnswer.show(members: try control.ask("\(command) \(id)\(arguments)"), asJSON: json)
    }
}
