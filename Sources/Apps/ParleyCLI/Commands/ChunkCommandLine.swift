internal import ArgumentParser

// What only the operator of a file router asks of it.
extension FileRouterSettings {
    static var commands: [any ParsableCommand.Type] { [ChunkCommandLine.self] }
}

/// `parley server xftp chunk`.
struct ChunkCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chunk", abstract: "Look at, block or delete a piece of a file.",
        discussion: "A piece is named by its id in a file description, of the sender or of a recipient: 32 characters.",
        subcommands: [Status.self, Block.self, Delete.self])

    /// The chunk, and the folder of its router.
    struct Target: ParsableArguments {
        @OptionGroup var folder: RouterFolder<FileRouterSettings>
        @Argument(help: "The id of the piece.") var id: String

        func ask(_ command: String, _ arguments: String = "") throws { try folder.ask(command, id, arguments) }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Whether a piece is there or blocked, its size, and when it was announced.")
        @OptionGroup var chunk: Target

        func run() async throws { try chunk.ask("status") }
    }

    struct Block: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "block", abstract: "Delete the bytes of a piece and tell clients why.",
            discussion: "The bytes do not come back: there is no way to unblock a piece.")
        @OptionGroup var chunk: Target
        @OptionGroup var reason: BlockReason

        func run() async throws { try chunk.ask("block", reason.words) }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a piece.")
        @OptionGroup var chunk: Target

        func run() async throws { try chunk.ask("delete") }
    }
}
