internal import ArgumentParser
internal import Foundation

// What only the operator of a message router asks of it.
extension MessageRouterSettings {
    static var commands: [any ParsableCommand.Type] { [SessionsCommandLine.self, QueueCommandLine.self] }
}

/// `parley server smp sessions`.
struct SessionsCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions", abstract: "The clients that are connected: how many queues each is subscribed to.")

    @OptionGroup var folder: RouterFolder<MessageRouterSettings>

    private struct Answer: Decodable {
        struct Session: Decodable {
            let session: Int
            let seconds: Int
            let version: Int?
            let subscriptions: Int
            let notifications: Int
            let service: Bool
        }
        let sessions: [Session]
    }

    func run() async throws {
        let answer = try folder.control.ask("sessions")
        guard !folder.json else { return Output.line(String(decoding: answer, as: UTF8.self)) }
        let sessions = try JSONDecoder().decode(Answer.self, from: answer).sessions
        Output.line("\(sessions.count) clients")
        for one in sessions {
            let version = one.version.map { "version \($0)" } ?? "shaking hands"
            Output.line(
                "#\(one.session): \(version), \(one.seconds) s, \(one.subscriptions) subscriptions, \(one.notifications) notifications"
                    + (one.service ? ", a service" : ""))
        }
    }
}

/// `parley server smp queue`.
struct QueueCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Look at, block, unblock or delete a queue.",
        discussion: "A queue is named by the sender id in its address, or by the id of its link: 32 characters.",
        subcommands: [Status.self, Block.self, Unblock.self, Delete.self])

    /// Which queue of which router.
    struct Target: ParsableArguments {
        @OptionGroup var folder: RouterFolder<MessageRouterSettings>
        @Argument(help: "The sender id of the queue, or the id of its link.") var id: String

        func ask(_ command: String, _ arguments: String = "") throws { try folder.ask(command, id, arguments) }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Whether a queue is blocked, how many messages wait, when it was last used.")
        @OptionGroup var queue: Target

        func run() async throws { try queue.ask("status") }
    }

    struct Block: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "block", abstract: "Accept and deliver no messages; clients get the reason.")
        @OptionGroup var queue: Target
        @OptionGroup var reason: BlockReason

        func run() async throws { try queue.ask("block", reason.words) }
    }

    struct Unblock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "unblock", abstract: "Let a blocked queue be used again.")
        @OptionGroup var queue: Target

        func run() async throws { try queue.ask("unblock") }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a queue with its messages.")
        @OptionGroup var queue: Target

        func run() async throws { try queue.ask("delete") }
    }
}
