/// Why JSON could not be read, or is not what its place asks for.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of fault. Bounded and stable: usable as a metric label.
    public enum Code: String, Sendable, Hashable {
        /// The text is not JSON (RFC 8259), or not UTF-8.
        case malformed
        /// Arrays and objects are nested deeper than ``JSONParser/maximumDepth``.
        case tooDeep
        /// An array or object has more elements than ``ChatLimits/listElements``.
        case tooManyElements
        /// A member that must be there is not.
        case missingMember
        /// A value has another type than its place asks for.
        case wrongType
        /// A value has the right type but is not allowed here.
        case invalidValue
    }

    /// The kind of fault.
    public let code: Code
    /// A description of the fault. It holds no part of the input but names of members and, for ``Code/malformed``, the byte offset.
    public let reason: String
    /// The members and array indexes from the root to the value.
    public var path: [String]

    /// Creates an error.
    public init(_ code: Code, _ reason: String, path: [String] = []) {
        self.code = code
        self.reason = reason
        self.path = path
    }

    /// The same error seen from the value that holds the one with the fault.
    func under(_ step: String) -> JSONError { JSONError(code, reason, path: [step] + path) }

    /// A textual form, for messages and logs.
    public var description: String {
        path.isEmpty ? "\(code.rawValue): \(reason)" : "\(code.rawValue) at \(path.joined(separator: ".")): \(reason)"
    }
}
