package import ChatAPI

/// An error of the API, thrown where a command or a received event fails.
package struct Refusal: Error, Sendable, Hashable {
    package let error: ChatError

    package init(_ error: ChatError) { self.error = error }

    package static func chat(_ error: ChatErrorType) -> Refusal { Refusal(.chat(error: error)) }
    package static func store(_ error: StoreError) -> Refusal { Refusal(.store(error: error)) }
    /// A command that makes no sense here, with the official core's words for it.
    package static func command(_ message: String) -> Refusal { chat(.commandError(message: message)) }
    /// Something that this version of the engine does not do.
    package static func unsupported(_ what: String) -> Refusal { command("\(what): not supported by this core yet") }
}
