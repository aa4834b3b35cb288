internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import Parley

/// Options of the commands about a relay.
struct RelayOptions: ParsableArguments {
    @Option(help: "The folder for databases and keys. [default: $PARLEY_DATA, else parley-data]")
    var data: String?

    @Flag(help: "Print JSON, for scripts.")
    var json = false

    @OptionGroup var keys: KeyOptions

    func configuration() throws -> HostConfiguration {
        var configuration = HostConfiguration(dataFolder: data)
        configuration.databaseKey = try keys.source(for: configuration.data, given: nil)
        return configuration
    }
}

/// `parley relay`: the profile of a data folder that relays for others.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay", abstract: "Watch and drain the profile that relays channels for others, leave channels, and allow them again.",
        subcommands: [Status.self, Drain.self, Resume.self, Leave.self, Allow.self])

    /// The longest pause between two reports, in seconds.
    static let longestInterval = 3_600

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show channels, subscribers, forwarded and waiting messages.",
            discussion: """
                Asks the process that runs bots on the data folder or, if none does, reads its databases.
                Deliveries a second are measured between two reports of a running process.
                """)

        @Option(help: "Seconds between the two reports, 0 to 3600; 0 for no rate.")
        var interval = 1

        @OptionGroup var options: RelayOptions

        func validate() throws {
            if !(0...RelayCommand.longestInterval).contains(interval) { throw ValidationError("--interval takes 0 to 3600 seconds") }
        }

        func run() async throws {
            let configuration = try options.configuration()
            let first = try await RelayCommand.perform(.status, configuration)
            guard first.isRunning, interval > 0 else { return RelayCommand.show(first, rate: nil, json: options.json) }
            let start = ContinuousClock.now
            try await Task.sleep(for: .seconds(interval))
            let second = try await RelayCommand.perform(.status, configuration)
            let rate = RelayView.rate(from: first.report, to: second.report, after: start.duration(to: .now))
            RelayCommand.show(second, rate: rate, json: options.json)
        }
    }

    struct Drain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drain", abstract: "Take no new channels and subscribers, also after a restart.",
            discussion: "Channels and subscribers stay, and posts are still delivered. With --wait, the command ends once no message waits.")

        @Flag(help: "Wait until everything is delivered that was accepted.")
        var wait = false

        @OptionGroup var options: RelayOptions

        func run() async throws {
            let configuration = try options.configuration()
            var answer = try await RelayCommand.perform(.drain, configuration)
            while wait, RelayView(answer.report, isRunning: answer.isRunning, rate: nil).isWaiting {
                guard answer.isRunning else {
                    throw Outcome.Failed("relay.notRunning", description: "something waits, and no bots run on the data folder that could deliver it")
                }
                try await Task.sleep(for: .seconds(1))
                answer = try await RelayCommand.perform(.status, configuration)
            }
            RelayCommand.show(answer, rate: nil, json: options.json)
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "resume", abstract: "Take channels and subscribers again.")

        @OptionGroup var options: RelayOptions

        func run() async throws {
            let answer = try await RelayCommand.perform(.resume, try options.configuration())
            RelayCommand.show(answer, rate: nil, json: options.json)
        }
    }

    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave", abstract: "End the service for a channel.",
            discussion: """
                What the relay has accepted is delivered first; then it tells of its leaving and deletes the connections of the channel.
                Subscribers without another relay get nothing more.
                The relay refuses further invitations to the channel, until parley relay allow.
                """)

        @Argument(help: "The number of the channel, as parley relay status shows it.")
        var channel: Int64

        @OptionGroup var options: RelayOptions

        func run() async throws {
            try await RelayCommand.change(channel, options, "left", RelayOperator.leave) {
                "The relay leaves \($0) once everything is delivered: see parley relay status."
            }
        }
    }

    struct Allow: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow", abstract: "Accept invitations to a channel again that the relay has left.",
            discussion: "The owner of the channel must invite the relay again.")

        @Argument(help: "The number of the channel, as parley relay status shows it.")
        var channel: Int64

        @OptionGroup var options: RelayOptions

        func run() async throws {
            try await RelayCommand.change(channel, options, "allowed", RelayOperator.allow) { "The relay accepts invitations to \($0) again." }
        }
    }

    /// Changes what the relay does about a channel, and prints that.
    ///
    /// - Parameters:
    ///   - member: The member of the JSON output that has the number of the channel.
    ///   - sentence: The output for a person, with the name of the channel.
    private static func change(
        _ channel: Int64, _ options: RelayOptions, _ member: String, _ work: (GroupID, HostConfiguration) async throws -> String,
        _ sentence: (String) -> String
    ) async throws {
        let configuration = try options.configuration()
        do {
            let name = try await work(GroupID(channel), configuration)
            if options.json {
                Output.line(.object(JSONObject([(member, .int(channel)), ("name", .string(name))])))
            } else {
                Output.line(sentence(VisibleText.name(name)))
            }
        } catch let error as RelayOperatorError {
            throw failure(error, configuration)
        }
    }

    private static func failure(_ error: RelayOperatorError, _ configuration: HostConfiguration) -> Outcome.Failed {
        switch error {
        case .noRelay: Outcome.Failed("relay.none", description: "no profile of the data folder \(configuration.dataFolder) relays for others")
        case .notRunning: Outcome.Failed("relay.notRunning", description: "no bots run on the data folder that could deliver what waits: start parley run")
        case .unknownChannel(let channel):
            Outcome.Failed("relay.unknownChannel", description: "the relay serves no channel \(channel): parley relay status shows the numbers")
        case .notLeft(let channel):
            Outcome.Failed("relay.notLeft", description: "the relay has left no channel \(channel): parley relay status shows the numbers")
        }
    }

    /// An answer to a request of an operator.
    typealias Answer = (report: JSONValue, isRunning: Bool)

    private static func perform(_ operation: RelayOperation, _ configuration: HostConfiguration) async throws -> Answer {
        let answer = try await RelayOperator.perform(operation, configuration)
        guard let report = answer.report else { throw failure(.noRelay, configuration) }
        return (report, answer.isRunning)
    }

    private static func show(_ answer: Answer, rate: Double?, json: Bool) {
        let view = RelayView(answer.report, isRunning: answer.isRunning, rate: rate)
        if json { Output.line(view.json) } else { view.lines.forEach(Output.line) }
    }
}
