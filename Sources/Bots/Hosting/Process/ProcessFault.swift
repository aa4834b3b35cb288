internal import ChatAPI
package import EncryptedSQLite
internal import Foundation
internal import RouterSupport
internal import SystemSupport

/// An error that ends a process, in a form for people and scripts: a stable code, the error and its fix, and the exit code.
package struct ProcessFault: Sendable, Hashable {
    package let code: String
    package let message: String
    /// The exit code: 2 for wrong input, with which another start would fail, too; otherwise 1.
    package let exitCode: Int32

    package init(_ code: String, _ message: String, exitCode: Int32 = 1) {
        self.code = code
        self.message = message
        self.exitCode = exitCode
    }

    package init(_ error: any Error) {
        switch error {
        case let error as any InputFault: self.init(error.faultCode, error.description, exitCode: 2)
        case let error as HostError: self.init(error.code.rawValue, error.message, exitCode: error.isInput ? 2 : 1)
        case let error as ChatCoreError:
            self.init(error.code.rawValue, Self.sentence(error.message, error.cause), exitCode: error.code.rawValue == "error.invalidConnReq" ? 2 : 1)
        case let error as StorageError:
            self.init("storage.\(error.code.rawValue)", Self.sentence(error.message, error.cause), exitCode: error.code.isInput ? 2 : 1)
        case let error as RouterError: self.init("router.\(error.code.rawValue)", Self.sentence(error.message, error.cause))
        default: self.init("failed", (error as? any LocalizedError)?.errorDescription ?? String(describing: error))
        }
    }

    private static func sentence(_ message: String, _ cause: Any?) -> String { message + (cause.map { " (\($0))" } ?? "") }

    /// Writes the error to standard error, and ends the process.
    ///
    /// - Parameter program: the name at the beginning of the line.
    package func end(program: String) -> Never { Self.end(saying: "\(program): \(message) [\(code)]", exitCode) }

    /// Writes a text to standard error, and ends the process. Line breaks are kept; no other character in the text controls a terminal.
    package static func end(saying text: String, _ code: Int32) -> Never {
        let shown = VisibleText.lines(text)
        // The text has the priority of an error in the system's journal.
        let lines = ServiceManager.current.reads(STDERR_FILENO) ? ServiceManager.prefixed(shown, .error) : shown
        // The reader may have closed standard error.
        try? FileHandle.standardError.write(contentsOf: Data((lines + "\n").utf8))
        exit(code)
    }
}

/// An error in the input, which ends a process with the exit code 2.
package protocol InputFault: Error, CustomStringConvertible {
    /// The stable code.
    var faultCode: String { get }
}

extension StorageError.Code {
    /// True if the given key is wrong or missing.
    package var isInput: Bool {
        switch self {
        case .keyNeeded, .wrongKey, .notEncrypted, .invalidKey: true
        default: false
        }
    }
}
