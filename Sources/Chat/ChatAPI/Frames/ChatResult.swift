public import ChatProtocol

/// The result of a command, as the API prints it: a response, or an error under the `type` `chatCmdError`.
public enum ChatResult: Sendable, Hashable, JSONConvertible {
    /// The response to a command that succeeded.
    case response(ChatResponse)
    /// It was not.
    case error(ChatError)

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        if json["type"]?.stringValue == Self.errorType {
            self = .error(try JSONObject(json: json).required("chatError"))
        } else {
            self = .response(try ChatResponse(json: json))
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        switch self {
        case .response(let response): response.json
        case .error(let error): ["type": .string(Self.errorType), "chatError": error.json]
        }
    }

    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .response(let response): response.write(to: &writer)
        case .error(let error):
            writer.writeObject {
                $0.add("type", Self.errorType)
                $0.add("chatError", error)
            }
        }
    }

    /// The response; an error is thrown.
    public func get() throws(ChatCoreError) -> ChatResponse {
        switch self {
        case .response(let response): return response
        case .error(let error): throw ChatCoreError(error)
        }
    }

    private static let errorType = "chatCmdError"
}
