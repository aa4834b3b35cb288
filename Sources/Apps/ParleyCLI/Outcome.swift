internal import ArgumentParser
internal import Foundation
internal import Parley
internal import ParleyRules

/// How the process ends.
enum Outcome {
    /// What a person gave is wrong: exit code 2.
    struct BadInput: Error, CustomStringConvertible {
        let description: String
    }

    /// What went wrong while running, already said: exit code 1.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Prints the error where a person looks for it, and ends the process with the code for its kind.
    static func end(_ error: any Error) -> Never {
        switch error {
        case let error as BadInput: say(error.description, code: 2)
        case let error as BotsFileError: say(error.description, code: 2)
        case let error as HandlerFault: say(error.description, code: 2)
        case is CleanExit: ParleyCommand.exit(withError: error)
        default:
            // Help and usage errors of the argument parser carry their own codes: 0 for help, 64 for a usage that is wrong.
            let code = ParleyCommand.exitCode(for: error)
            if code == .success { ParleyCommand.exit(withError: error) }
            if code == .validationFailure { say(ParleyCommand.fullMessage(for: error), code: 2) }
            say("parley: \(describe(error))", code: 1)
        }
    }

    private static func describe(_ error: any Error) -> String {
        (error as? any LocalizedError)?.errorDescription ?? String(describing: error)
    }

    private static func say(_ text: String, code: Int32) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(code)
    }
}
