import ChatProtocol
import Foundation
import OfficialPeers

/// The `parley` executable that is built together with the tests.
enum ParleyProgram {
    /// Beside the test program in the build folder.
    static let path = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("parley").path

    /// Waits until a long-running command says that it is ready.
    static func ready(_ process: ChildProcess, within limit: Duration = .seconds(60)) async throws -> JSONValue {
        do {
            return try await process.output.first("parley: ready", within: limit) { line in
                guard let event = try? JSONValue(parsing: line), event["event"]?.stringValue == "ready" else { return nil }
                return event
            }
        } catch {
            throw PeerError(.launch, "parley did not get ready: \(process.logTail())", cause: error)
        }
    }
}
