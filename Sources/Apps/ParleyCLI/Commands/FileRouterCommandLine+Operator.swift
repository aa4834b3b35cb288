internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Parley

// What an operator asks of the file router that runs.
extension FileRouterCommandLine {
    /// `parley server xftp stats`.
    struct Stats: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats", abstract: "What the router holds, and what it did today, in 7 days, in 30 days and since it was made.")

        @OptionGroup var folder: Folder

        func run() async throws {
            let answer = try folder.control.ask("stats")
            guard !folder.json else { return Output.line(String(decoding: answer, as: UTF8.self)) }
            for line in try JSONDecoder().decode(FileRouterReport.self, from: answer).lines { Output.line(line) }
        }
    }

    /// `parley server xftp compact`.
    struct Compact: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compact", abstract: "Rewrite the journal without obsolete records.",
            discussion: "The router also compacts on its own. It continues meanwhile.")

        @OptionGroup var folder: Folder

        private struct Answer: Decodable {
            let journalBytesBefore: Int
            let journalBytes: Int
        }

        func run() async throws {
            let line = try folder.control.ask("compact")
            guard !folder.json else { return Output.line(String(decoding: line, as: UTF8.self)) }
            let answer = try JSONDecoder().decode(Answer.self, from: line)
            Output.line("The journal had \(answer.journalBytesBefore) bytes and has \(answer.journalBytes).")
        }
    }

    /// `parley server xftp chunk`.
    struct Chunk: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "chunk", abstract: "Look at, block or delete a piece of a file.",
            discussion: "A piece is named by its id in a file description, of the sender or of a recipient: 32 characters.",
            subcommands: [Status.self, Block.self, Delete.self])

        /// The chunk, and the folder of its router.
        struct Target: ParsableArguments {
            @OptionGroup var folder: Folder
            @Argument(help: "The id of the piece.") var id: String

            /// Asks the router, and shows the few members of its answer, one a line.
            func ask(_ command: String, _ arguments: String = "") throws {
                try RouterReport.show(members: try folder.control.ask("\(command) \(id)\(arguments)"), asJSON: folder.json)
            }
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
            @Argument(help: "Why: spam or content.") var reason: String
            @Option(name: .customLong("notice-hours"), help: "Have the client show a notice for so many hours.") var noticeHours: Int?

            func run() async throws { try chunk.ask("block", " \(reason)" + (noticeHours.map { " \($0)" } ?? "")) }
        }

        struct Delete: AsyncParsableCommand {
            static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete a piece.")
            @OptionGroup var chunk: Target

            func run() async throws { try chunk.ask("delete") }
        }
    }

    /// `parley server xftp renew`.
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
            let days = try FileRouterFile(in: folder.data).certificateDays
            try CertificateRenewal(folder: folder.data, days: days, control: folder.control, json: folder.json).run(key)
        }
    }
}
