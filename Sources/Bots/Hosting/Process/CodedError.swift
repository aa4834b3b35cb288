public import ChatAPI

/// An error with a code that stays the same from version to version, and a message that a person can act on.
///
/// Logs, metrics and `parley top` name errors of handlers by their codes. An error of your own has a code there, too, if it conforms.
public protocol CodedError: Error, CustomStringConvertible {
    /// The type of the codes, which are texts such as `reply.timedOut`.
    associatedtype Code: RawRepresentable where Code.RawValue == String
    /// The stable code.
    var code: Code { get }
    /// A message that a person can act on.
    var message: String { get }
}

extension CodedError {
    /// A textual form, for messages and logs.
    public var description: String { "\(code.rawValue): \(message)" }
}

extension ChatCoreError: CodedError {}

/// The codes of errors of any kind.
package enum ErrorCode {
    /// Returns the stable code of an error; nil if it has none.
    package static func of(_ error: any Error) -> String? {
        guard let coded = error as? any CodedError else { return nil }
        return text(coded)
    }

    private static func text(_ error: some CodedError) -> String { error.code.rawValue }
}
