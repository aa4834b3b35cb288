internal import ArgumentParser
internal import ChatProtocol
internal import Parley

/// `parley version`: what this binary is and what it speaks.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the versions of Parley and of its protocols.")

    @Flag(help: "Print the versions as JSON.")
    var json = false

    func run() {
        let versions = ParleyVersion.current
        if json {
            let protocols = JSONObject(versions.protocols.map { ($0.name, .string("\($0.range)")) })
            Output.line(["version": .string("\(versions.parley)"), "protocols": .object(protocols)])
        } else {
            Output.line(Self.text)
        }
    }

    /// The versions, one a line.
    static var text: String {
        let versions = ParleyVersion.current
        return (["parley \(versions.parley)"] + versions.protocols.map { "\($0.name) \($0.range)" }).joined(separator: "\n")
    }
}
