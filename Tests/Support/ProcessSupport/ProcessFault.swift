/// Why a process that a test needs could not be used.
public struct ProcessFault: Error, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}
