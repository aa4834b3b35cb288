internal import ArgumentParser
internal import Parley

/// `parley version`: what this binary is and what it speaks.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the versions of Parley and of what it speaks.")

    @Flag(help: "Print the versions as JSON.")
    var json = false

    func run() {
        let versions = ParleyVersion.current
        if json {
            let protocols = versions.protocols.map { #""\#($0.name)":"\#($0.range)""# }.joined(separator: ",")
            print(#"{"version":"\#(versions.parley)","protocols":{\#(protocols)}}"#)
        } else {
            print("parley \(versions.parley)")
            for part in versions.protocols { print("\(part.name) \(part.range)") }
        }
    }
}
