internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Logging

// What operators of all kinds of routers ask of one that runs.
extension RouterCommandLine {
    /// `stats`: shows the statistics.
    struct Stats: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "stats", abstract: "What the router holds, and what it did today, in 7 days, in 30 days and since it was made.")
        }

        @OptionGroup var folder: Folder

        func run() async throws {
            let answer = try folder.control.ask("stats")
            guard !folder.json else { return Output.line(String(decoding: answer, as: UTF8.self)) }
            for line in try JSONDecoder().decode(Settings.Report.self, from: answer).lines { Output.line(line) }
        }
    }

    /// `compact`: rewrites the journal.
    struct Compact: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "compact", abstract: "Rewrite the journal without obsolete records.",
                discussion: "The router also compacts on its own. It continues meanwhile."
                    + (Settings.words.compactsStopped ? " The journal of a stopped router is compacted, too." : ""))
        }

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
            } catch let error as Outcome.Failed where error.code == "router.notRunning" && Settings.words.compactsStopped {
                let logger = RouterService.logger(.notice, json: folder.json)
                guard let sizes = try await Settings.compactStopped(try RouterFile(in: folder.data), in: folder.data, logger: logger) else { throw error }
                answer = Answer(journalBytesBefore: sizes.before, journalBytes: sizes.after)
            }
            if folder.json {
                Output.line(["journalBytesBefore": .int(answer.journalBytesBefore), "journalBytes": .int(answer.journalBytes)])
            } else {
                Output.line("The journal had \(answer.journalBytesBefore) bytes and has \(answer.journalBytes).")
            }
        }
    }

    /// `renew`: issues a certificate anew.
    struct Renew: AsyncParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "renew", abstract: "Issue a new certificate; the address and the connections stay.",
                discussion: """
                    Needs the key of the identity: ca.key in the folder, or the file that --ca-key names, which need not stay. A router that runs \
                    takes the new certificate at once.
                    """)
        }

        @OptionGroup var folder: Folder

        @Option(name: .customLong("ca-key"), help: "The key of the router's identity, if it is kept elsewhere.")
        var authorityKey: String?

        func run() async throws {
            // The key may be readable by root only, and the process is not root's after that.
            let key = try CertificateRenewal.key(authorityKey)
            try folder.actAsOwner()
            let days = try RouterFile<Settings>(in: folder.data).certificateDays
            try CertificateRenewal(folder: folder.data, days: days, control: folder.control, json: folder.json).run(key)
        }
    }
}
