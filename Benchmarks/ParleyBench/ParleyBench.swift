internal import ArgumentParser
internal import Foundation
internal import OfficialPeers

/// Measures Parley, and beside it the official programs where the environment variable SIMPLEX_PEERS names their folder.
@main
struct ParleyBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parley-bench",
        abstract: "Figures of Parley, beside those of the official programs if SIMPLEX_PEERS names their folder.")

    @Option(help: "What to measure: \(Section.allCases.map(\.rawValue).joined(separator: ", ")). [default: all]")
    var only: [Section] = []

    @Option(help: "A multiple of how much is done for each figure.")
    var effort = 1.0

    @Flag(help: "Leave the official programs out.")
    var withoutOfficial = false

    func run() async throws {
        var makes: [any Make] = [ParleyMake(executable: try ParleyMake.builtExecutable())]
        if !withoutOfficial {
            if PeerProgram.simplexChat.isInstalled, PeerProgram.smpServer.isInstalled {
                makes.append(OfficialMake())
            } else {
                Progress.say("SIMPLEX_PEERS names no folder with simplex-chat and smp-server: their figures are left out.")
            }
        }
        var report = Report(makes: makes.map(\.name))
        for section in only.isEmpty ? Section.allCases : only {
            for make in makes {
                Progress.say("\(section.rawValue): \(make.name) …")
                report.add(try await section.measure(make, effort: effort), of: make.name)
            }
        }
        Progress.end()
        print(report.table)
    }
}

/// What is measured together.
enum Section: String, CaseIterable, ExpressibleByArgument {
    case dispatch, rules, isolation, primitives, storage, echo, messages, groups, channel, audience, connecting, backlog, starting, profiles, agents, router,
        files

    /// - Returns: figures; none where they cannot be had of a make.
    func measure(_ make: any Make, effort: Double) async throws -> [Figure] {
        switch self {
        case .dispatch: make.isOurs ? try await Dispatch.measure(effort: effort) : []
        case .rules: make.isOurs ? try RuleEvaluation.measure(effort: effort) : []
        case .isolation: make.isOurs ? try await Isolation.measure(effort: effort) : []
        case .primitives: make.isOurs ? try Primitives.measure(effort: effort) : []
        case .storage: make.isOurs ? try await Storage.measure(effort: effort) : []
        case .echo: try await EchoRoundTrip.measure(make, count: make.scaled(500, effort))
        case .messages: try await OneWayMessages.measure(make, effort: effort)
        case .groups: try await GroupMessages.measure(make, effort: effort)
        case .channel: try await ChannelPosts.measure(make, effort: effort)
        case .audience:
            if let make = make as? ParleyMake {
                try await LargeChannel.measure(make, sizes: [1_000, 10_000].map { max(2, Int(Double($0) * effort)) })
            } else {
                []
            }
        case .connecting: try await Connecting.measure(make, count: make.scaled(50, effort))
        case .starting: try await Starting.measure(make, runs: max(3, Int(5 * effort)))
        case .profiles:
            if let make = make as? ParleyMake {
                try await ManyProfiles.measure(make, counts: [100, 1_000].map { max(1, Int(Double($0) * effort)) }, runs: 3)
            } else {
                []
            }
        case .backlog: try await Backlog.measure(make, count: Int(2_000 * effort))
        case .agents: try await AgentLoad.measure(make, effort: effort)
        case .files: try await FileTransfers.measure(make, effort: effort)
        case .router: try await RouterLoad.measure(make, effort: effort)
        }
    }
}

/// What is going on, on standard error, so that standard output holds the table only.
enum Progress {
    static func say(_ text: String) { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
    static func end() { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
}
