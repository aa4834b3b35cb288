/// Why a run could not go on.
struct RunFault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
