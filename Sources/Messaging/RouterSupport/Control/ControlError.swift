/// The reason why a command of the operator failed.
package struct ControlError: Error, Equatable {
    /// A stable code, for scripts.
    package let code: String
    package let message: String

    package init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    var reply: String { JSONText.line([("error", .object([("code", .text(code)), ("message", .text(message))]))]) }
}
