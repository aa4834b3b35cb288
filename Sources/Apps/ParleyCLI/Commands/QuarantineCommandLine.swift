internal import ArgumentParser
internal import ChatProtocol
internal import Foundation
internal import Parley

/// `parley db quarantine`: events that were quarantined because processes crashed on them.
struct QuarantineCommandLine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "List, retry or drop events and work that crashed the process.",
        discussion: """
            What a process was doing when it crashed is done alone at the next start. After three crashes it is set aside, so that \
            everything else goes on. What is called event-1 was received and could not be stored: retry stores it now. What is called \
            handler-1 is a message, a new contact or a request that a bot's handler or rule could not handle: retry has it handled at \
            the next start.
            """,
        subcommands: [List.self, Retry.self, Drop.self], defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List quarantined events and work.")

        @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
        var data: String?

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let json = options.json
            try await CoreHost.with(try options.configuration(data: data)) { host in
                let entries = try await host.quarantine()
                if entries.isEmpty, !json { Output.line("Nothing is set aside.") }
                for entry in entries { Output.line(entry, json: json) }
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "retry", abstract: "Receive an event now, or have it handled at the next start.")

        @Argument(help: "What the list calls it, such as event-1.")
        var id: String

        @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
        var data: String?

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let id = id, json = options.json
            try await CoreHost.with(try options.configuration(data: data)) { host in
                try await host.retryQuarantined(id)
                if json { return Output.line(["event": "retried", "id": .string(id)]) }
                Output.line(id.hasPrefix("event") ? "\(id) is received." : "\(id) is handled at the next start.")
            }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "drop", abstract: "Drop a quarantined event.")

        @Argument(help: "What the list calls it, such as event-1.")
        var id: String

        @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
        var data: String?

        @OptionGroup var options: CommonOptions

        func run() async throws {
            let id = id, json = options.json
            try await CoreHost.with(try options.configuration(data: data)) { host in
                try await host.dropQuarantined(id)
                if json { Output.line(["event": "dropped", "id": .string(id)]) } else { Output.line("\(id) is dropped.") }
            }
        }
    }
}

extension Output {
    fileprivate static func line(_ entry: QuarantineEntry, json: Bool) {
        let time = Date(timeIntervalSince1970: entry.quarantinedAt).formatted(.iso8601)
        if json {
            line(
                object { object in
                    object["event"] = "quarantined"
                    object["id"] = entry.id
                    object["kind"] = entry.kind
                    object["chat"] = entry.chat
                    object["time"] = time
                    object["retried"] = entry.isToBeRetried
                })
        } else {
            let chat = entry.chat.isEmpty ? "" : " from \(VisibleText.name(entry.chat))"
            line("\(entry.id)  \(time)  \(entry.kind)\(chat)\(entry.isToBeRetried ? ", handled at the next start" : "")")
        }
    }
}
