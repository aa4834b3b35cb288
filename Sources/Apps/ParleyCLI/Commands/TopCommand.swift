internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import Hosting

/// `parley top`: a live view of the process that runs bots on a data folder.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top", abstract: "Show what the running bots do: profiles, rates, queues, routers and errors.",
        discussion: """
            Connects to the process that runs bots on the data folder. Ctrl-C ends the view, not the bots.
            Without a terminal it prints one view and ends, as with --once. With --json it prints the report as an object a line.
            """)

    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @Option(help: "Seconds between two views, 1 to 3600.")
    var interval = 2

    @Flag(help: "Print one view and end. It has no rates.")
    var once = false

    @Flag(help: "Print JSON, one object a line, for scripts.")
    var json = false

    func validate() throws {
        if !(1...3600).contains(interval) { throw ValidationError("--interval takes 1 to 3600 seconds") }
    }

    func run() async throws {
        let configuration = HostConfiguration(dataFolder: data)
        guard let host = await RunningHost.connect(configuration.data) else {
            throw Outcome.Failed("top.notRunning", description: "no bots run on the data folder \(configuration.dataFolder)")
        }
        do {
            try await watch(host)
            await host.close()
        } catch {
            await host.close()
            throw error
        }
    }

    private func watch(_ host: RunningHost) async throws {
        let isOnce = once || !json && !Output.isTerminal
        var last: TopReport?
        while true {
            let report = TopReport(try await host.report("status"), at: .now)
            if json {
                Output.line(report.json)
            } else {
                let view = TopView(report, since: last, width: Output.width ?? 100)
                if isOnce { view.lines.forEach(Output.line) } else { Output.screen(view.lines) }
            }
            if isOnce { return }
            last = report
            try await Task.sleep(for: .seconds(interval))
        }
    }
}

/// The report of a process at a moment.
struct TopReport: Sendable {
    let json: JSONValue
    let time: ContinuousClock.Instant

    init(_ json: JSONValue, at time: ContinuousClock.Instant) {
        self.json = json
        self.time = time
    }
}
