package import ChatProtocol
import Foundation
import VectorSupport

/// A conversation of official clients with the programs that drive them, as it was recorded.
package struct Transcript: Sendable, CustomStringConvertible {
    /// One frame.
    package struct Line: Sendable {
        /// Line number in the file, from 1.
        package var number: Int
        /// Which client.
        package var peer: String
        package var direction: Direction
        /// Which command the frame belongs to.
        package var correlationID: String?
        package var body: JSONValue
    }

    package enum Direction: String, Sendable { case command = "cmd", response = "resp", event, note }

    /// Name of the file, without its ending.
    package var name: String
    package var lines: [Line]

    package var description: String { name }

    /// The names of all files.
    package static let names = [
        "01_profiles", "02_invitation", "03_address", "04_direct_messages", "05_files", "06a_groups", "06b_knocking_support",
        "07_channel", "08_settings", "09_database", "10_errors",
    ]

    /// The names of the files with conversations of clients of the pre-release 7.0.0.6.
    package static let namesOf7 = ["03_address", "07_channel"]

    /// Reads a file.
    ///
    /// - Parameter version: of the recorded clients: 6.5, or the pre-release of 7.0.
    package static func load(_ name: String, version: APIVersion = .v65) throws -> Transcript {
        let data = try Data(contentsOf: Vectors.folder.appendingPathComponent("\(version == .v65 ? "api" : "api7")/\(name).jsonl"))
        var lines: [Line] = []
        for (index, text) in data.split(separator: UInt8(ascii: "\n")).enumerated() {
            let json = try JSONParser.parse(Array(text))
            guard let direction = json["dir"]?.stringValue.flatMap(Direction.init), let body = json["body"] else { continue }
            lines.append(
                Line(
                    number: index + 1, peer: json["peer"]?.stringValue ?? "", direction: direction,
                    correlationID: json["corrId"]?.stringValue, body: body))
        }
        return Transcript(name: name, lines: lines)
    }

    /// Commands with their responses, in the order of the commands.
    package var exchanges: [(line: Int, command: String, response: JSONValue)] {
        var responses: [String: JSONValue] = [:]
        for line in lines where line.direction == .response {
            if let id = line.correlationID { responses["\(line.peer) \(id)"] = line.body }
        }
        return lines.compactMap { line in
            guard line.direction == .command, let id = line.correlationID, let command = line.body.stringValue,
                let response = responses["\(line.peer) \(id)"]
            else { return nil }
            return (line.number, command, response)
        }
    }
}

extension JSONConvertible {
    /// The JSON form for programs of that version of the API.
    package func json(for version: APIVersion) throws -> JSONValue { try JSONValue(parsing: jsonBytes(for: version)) }
}
