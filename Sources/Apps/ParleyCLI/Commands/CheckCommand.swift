internal import ArgumentParser
internal import Foundation
internal import ParleyRules

/// `parley check`: reads a bots.yaml and says what is wrong with it. Starts nothing.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read a bots.yaml and say what is wrong with it, without starting anything.")

    @Argument(help: "The file to read.")
    var file = "bots.yaml"

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        do {
            let bots = try BotsFileReader.read(file)
            if json {
                print(#"{"file":\#(Output.quoted(file)),"profiles":\#(bots.profiles.count),"errors":[]}"#)
            } else {
                let rules = bots.profiles.reduce(0) { $0 + $1.rules.count }
                print("\(file): \(bots.profiles.count) profile\(bots.profiles.count == 1 ? "" : "s"), \(rules) rule\(rules == 1 ? "" : "s"), no faults")
            }
        } catch let error as BotsFileError where json {
            let faults = error.diagnostics.map { fault in
                #"{"code":"\#(fault.code.rawValue)","line":\#(fault.position.line),"column":\#(fault.position.column),"message":\#(Output.quoted(fault.message))"#
                    + (fault.hint.map { #","hint":\#(Output.quoted($0))"# } ?? "") + "}"
            }
            print(#"{"file":\#(Output.quoted(file)),"errors":[\#(faults.joined(separator: ","))]}"#)
            throw ExitCode(2)
        }
    }
}

/// Reads bots files from disk.
enum BotsFileReader {
    static func read(_ path: String) throws -> BotsFile {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        if let size = (attributes?[.size] as? NSNumber)?.intValue, size > BotsFile.maximumSize {
            throw Outcome.BadInput(description: "\(path):1:1: error: the file has \(size) bytes, more than \(BotsFile.maximumSize)")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            let reason = attributes == nil ? "there is no such file; write one or give its path" : "it cannot be read; check its permissions"
            throw Outcome.BadInput(description: "\(path):1:1: error: \(reason)")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Outcome.BadInput(description: "\(path):1:1: error: the file is not UTF-8 text")
        }
        return try BotsFile(parsing: text, file: path)
    }
}
