import Foundation
import TestSupport

/// The `parley` executable: what a person starts, and what a power cut ends.
package enum ParleyProgram {
    /// The one that the environment variable `PARLEY_EXECUTABLE` names, or the one in the folder of the program that runs now: they are
    /// built together.
    package static var path: String {
        if let path = ProcessInfo.processInfo.environment["PARLEY_EXECUTABLE"], !path.isEmpty { return path }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appendingPathComponent("parley").path
    }

    /// Whether it is there.
    package static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Starts it.
    ///
    /// - Parameters:
    ///   - environment: variables that are added to those of this process.
    ///   - folder: the folder that it works in; nil is that of this process.
    ///   - input: all that it reads on standard input; nil if lines are typed later.
    ///   - log: the file to which its standard error is appended.
    package static func start(
        _ arguments: [String], environment: [String: String] = [:], in folder: String? = nil, input: String? = "", log: String? = nil
    ) throws(PeerError) -> ChildProcess {
        guard isBuilt else { throw PeerError(.notInstalled, "\(path) is not there: build the product parley first") }
        // A process that is killed on purpose has nothing to tell, and printing a backtrace would delay its end.
        return try ChildProcess(
            path, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"].merging(environment) { $1 }, in: folder, input: input, log: log)
    }
}

extension ChildProcess {
    /// Waits for the JSON line by which a `parley` that was started with `--json` says that what it runs can be used.
    package func ready(within limit: Duration = Patience.limit) async throws(PeerError) -> ReadyLine {
        do throws(PeerError) {
            return try await output.peek("\(name): ready", within: limit, ReadyLine.init)
        } catch {
            throw PeerError(error.code, "\(name) did not get ready: \(logTail())", cause: error)
        }
    }
}

/// What `parley run` and `parley server smp` say with `--json` when they can be used.
package struct ReadyLine: Decodable, Sendable {
    package struct Profile: Decodable, Sendable {
        package let name: String
        package let address: String?
        package let shortAddress: String?
        /// The channels that the profile owns.
        package let channels: [Channel]?
        /// The links of trusted contacts that nobody has used.
        package let invitations: [Invitation]?
    }

    package struct Invitation: Decodable, Sendable {
        package let name: String
        package let link: String
    }

    package struct Channel: Decodable, Sendable {
        package let link: String?
    }

    /// The address of a router.
    package let address: String?
    /// The port and the URL of the API.
    package let port: Int?
    package let url: String?
    /// The profiles of bots.
    package let profiles: [Profile]?
    /// The routers that bots use.
    package let servers: [String]?

    /// Nil if the line is another one.
    init?(_ line: String) {
        guard line.hasPrefix(#"{"event":"ready""#) else { return nil }
        guard let ready = try? JSONDecoder().decode(ReadyLine.self, from: Data(line.utf8)) else { return nil }
        self = ready
    }
}
