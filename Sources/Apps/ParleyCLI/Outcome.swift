internal import ArgumentParser
internal import ChatAPI
internal import ChatProtocol
internal import EncryptedSQLite
internal import Foundation
internal import Parley
internal import ParleyRules
internal import SMPServer
internal import ServiceManager

/// How the process ends.
enum Outcome {
    /// What a person gave is wrong: exit code 2.
    struct BadInput: Error, CustomStringConvertible {
        let code: String
        let description: String

        init(_ code: String = "badInput", description: String) {
            self.code = code
            self.description = description
        }
    }

    /// What went wrong while running: exit code 1.
    struct Failed: Error, CustomStringConvertible {
        let code: String
        let description: String

        init(_ code: String, description: String) {
            self.code = code
            self.description = description
        }
    }

    /// Prints the error where a person looks for it, and ends the process with the code for its kind.
    static func end(_ error: any Error) -> Never {
        let code = ParleyCommand.exitCode(for: error)
        switch error {
        // Everything that is wrong in a file, each with its own code.
        case let error as BotsFileError: end(saying: error.description, 2)
        case is CleanExit: ParleyCommand.exit(withError: error)
        // Help, and exit codes of commands that have said what there is to say.
        case is ExitCode: Foundation.exit(code.rawValue)
        case _ where code == .success: ParleyCommand.exit(withError: error)
        case _ where code == .validationFailure: end(saying: ParleyCommand.fullMessage(for: error), 2)
        default:
            let fault = Fault(error)
            // Scripts read standard output.
            if CommandLine.arguments.contains("--json") { Output.line(fault.json) }
            end(saying: "parley: \(fault.message) [\(fault.code)]", fault.exitCode)
        }
    }

    private static func end(saying text: String, _ code: Int32) -> Never {
        // What ends a service is an error in the system's journal.
        let lines = ServiceManager.current.reads(STDERR_FILENO) ? ServiceManager.prefixed(text, .error) : text
        try? FileHandle.standardError.write(contentsOf: Data((lines + "\n").utf8))
        exit(code)
    }
}

/// An error as a person and a script are told of it: a stable code, and what is wrong and how to mend it.
struct Fault: Equatable {
    let code: String
    let message: String
    /// 2 when what was given is wrong, else 1.
    let exitCode: Int32

    init(_ error: any Error) {
        switch error {
        case let error as Outcome.BadInput: self.init(error.code, error.description, exitCode: 2)
        case let error as Outcome.Failed: self.init(error.code, error.description)
        case let error as ChatLine.Fault: self.init("badInput", error.message, exitCode: 2)
        case let error as HandlerFault: self.init("handlers", error.description, exitCode: 2)
        case let error as HostError: self.init(error.code.rawValue, error.message, exitCode: error.code.isInput ? 2 : 1)
        case let error as ChatCoreError: self.init(error.code.rawValue, Self.sentence(error.message, error.cause))
        case let error as StorageError:
            self.init("storage.\(error.code.rawValue)", Self.sentence(error.message, error.cause), exitCode: error.code.isInput ? 2 : 1)
        case let error as SMPServer.RouterError: self.init("router.\(error.code.rawValue)", Self.sentence(error.message, error.cause))
        default: self.init("failed", (error as? any LocalizedError)?.errorDescription ?? String(describing: error))
        }
    }

    private init(_ code: String, _ message: String, exitCode: Int32 = 1) {
        self.code = code
        self.message = message
        self.exitCode = exitCode
    }

    /// For `--json`.
    var json: JSONValue { ["event": "error", "code": .string(code), "message": .string(message)] }

    private static func sentence(_ message: String, _ cause: Any?) -> String { message + (cause.map { " (\($0))" } ?? "") }
}

extension HostError.Code {
    /// Whether what a person gave is wrong.
    var isInput: Bool {
        switch self {
        case .serverAddress, .handlers, .databaseKey: true
        case .dataFolder, .dataFolderInUse, .router, .portInUse: false
        }
    }
}

extension StorageError.Code {
    /// Whether the key that a person gave is wrong.
    var isInput: Bool {
        switch self {
        case .keyNeeded, .wrongKey, .notEncrypted, .invalidKey: true
        default: false
        }
    }
}
