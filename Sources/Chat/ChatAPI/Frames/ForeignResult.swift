public import ChatProtocol

/// A result from the C interface of a core: `{"result": …}` or `{"error": …}`. Responses and events come the same way.
public enum ForeignResult<Value: JSONConvertible & Hashable>: Sendable, Hashable, JSONConvertible {
    /// The response or event.
    case result(Value)
    /// The reason why there is no result.
    case error(ChatError)

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        if let error: ChatError = try object.optional("error") {
            self = .error(error)
        } else {
            self = .result(try object.required("result"))
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        switch self {
        case .result(let value): ["result": value.json]
        case .error(let error): ["error": error.json]
        }
    }

    /// Appends the JSON text.
    public func write(to writer: inout JSONWriter) {
        writer.writeObject { object in
            switch self {
            case .result(let value): object.add("result", value)
            case .error(let error): object.add("error", error)
            }
        }
    }

    /// The value; an error is thrown.
    public func get() throws(ChatCoreError) -> Value {
        switch self {
        case .result(let value): return value
        case .error(let error): throw ChatCoreError(error)
        }
    }
}

extension ForeignResult<ChatResponse> {
    /// The form of the C interface for what became of a command.
    public init(_ result: ChatResult) {
        switch result {
        case .response(let response): self = .result(response)
        case .error(let error): self = .error(error)
        }
    }
}
