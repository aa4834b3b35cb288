package import ChatProtocol

/// What went wrong with a program that a test or a benchmark started.
package struct PeerError: Error, CustomStringConvertible {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The folder that `SIMPLEX_PEERS` names does not hold the program, or the variable is not set.
        case notInstalled
        /// The program, or its scratch folder, could not be set up.
        case launch
        /// The program ended although it was needed.
        case ended
        /// What was waited for did not come in time.
        case timeout
        /// A command was answered with an error.
        case refused
        /// The connection to the program failed, or what came over it was not understood.
        case connection
    }

    package let code: Code
    /// What happened, for a person.
    package let message: String
    /// The error that was the answer to a command, if that is what happened.
    package let response: JSONValue?
    /// The error underneath, if there is one.
    package let cause: (any Error)?

    package init(_ code: Code, _ message: String, response: JSONValue? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.response = response
        self.cause = cause
    }

    package var description: String {
        "\(message) [\(code.rawValue)]" + (response.map { ": \($0.text.prefix(1000))" } ?? "") + (cause.map { ": \($0)" } ?? "")
    }
}
