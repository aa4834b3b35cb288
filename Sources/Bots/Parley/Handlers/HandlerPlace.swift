/// The source position of a handler. It is made into text only where a person reads it.
package struct HandlerPlace: Sendable, Hashable, CustomStringConvertible {
    package let file: String
    package let line: Int

    package var description: String { "\(file):\(line)" }
}
