internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Logging
internal import Parley
internal import SMPServer

// What an operator asks of the router that runs.
extension RouterCommandLine {
    /// `parley server smp stats`.
    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats", abstract: "What the router holds, and what it did today, in 7 days, in 30 days and since it was made.")

        @OptionGroup var folder: Folder

        func run() async throws {
            let answer = try folder.control.ask("stats")
            guard !folder.json else { return Output.line(String(decoding: answer, as: UTF8.self)) }
            for line in try JSONDecoder().decode(RouterReport.self, from: answer).lines { Output.line(line) }
        }
    }

    /// `parley server smp compact`.
    struct Compact: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compact", abstract: "Rewrite the journal without obsolete records.",
            discussion: "The router also compacts on its own. It continues meanwhile. The journal of a stopped router is compacted, too.")

        @OptionGroup var folder: Folder

        private struct Answer: Decodable {
            let journalBytesBefore: Int
            let journalBytes: Int
        }

        func run() async throws {
            try folder.actAsOwner()
            let answer: Answer
            do {
                answer = try JSONDecoder().decode(Answer.self, from: try folder.control.ask("compact"))
            } catch let error as Outcome.Failed where error.code == "router.notRunning" {
                let format: StructuredLogHandler.Format = folder.json ? .json : .text
                let logger = Logger(label: "parley.router") { StructuredLogHandler(label: $0, level: .notice, format: format) }
                let (before, after) = try await SMPRouter.compact(try RouterFile(in: folder.data).configuration(in: folder.data), logger: logger)
                answer = Answer(journalBytesBefore: before, journalBytes: after)
            }
            if folder.json {
                Output.line(["journalBytesBefore": .int(answer.journalBytesBefore), "journalBytes": .int(answer.journalBytes)])
            } else {
                Output.line("The journal had \(answer.journalBytesBefore) bytes and has \(answer.journalBytes).")
            }
        }
    }

    /// `parley server smp sessions`.
    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sessions", abstract: "The clients that are connected: how many queues each is subscribed to.")

        @OptionGroup var folder: Folder

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
    struct Queue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "queue", abstract: "Look at, block, unblock or delete a queue.",
            discussion: "A queue is named by the sender id in its address, or by the id of its link: 32 characters.",
            subcommands: [Status.self, Block.self, Unblock.self, Delete.self])

        /// Which queue of which router.
        struct Target: ParsableArguments {
            @OptionGroup var folder: Folder
            @Argument(help: "The sender id of the queue, or the id of its link.") var id: String

            /// Asks the router, and shows the few members of its answer, one a line.
            func ask(_ command: String, _ arguments: String = "") throws {
                try RouterReport.show(members: try folder.control.ask("\(command) \(id)\(arguments)"), asJSON: folder.json)
            }
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
            @Argument(help: "Why: spam or content.") var reason: String
            @Option(name: .customLong("notice-hours"), help: "Have the client show a notice for so many hours.") var noticeHours: Int?

            func run() async throws { try queue.ask("block", " \(reason)" + (noticeHours.map { " \($0)" } ?? "")) }
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

    /// `parley server smp renew`.
    struct Renew: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "renew", abstract: "Issue a new certificate; the address and the connections stay.",
            discussion: """
                Needs the key of the identity: ca.key in the folder, or the file that --ca-key names, which need not stay. A router that runs \
                takes the new certificate at once.
                """)

        @OptionGroup var folder: Folder

        @Option(name: .customLong("ca-key"), help: "The key of the router's identity, if it is kept elsewhere.")
        var authorityKey: String?

        func run() async throws {
            // The key may be readable by root only, who is somebody else after that.
            let key = try CertificateRenewal.key(authorityKey)
            try folder.actAsOwner()
            let days = try RouterFile(in: folder.data).certificateDays
            try CertificateRenewal(folder: folder.data, days: days, control: folder.control, json: folder.json).run(key)
        }
    }
}
