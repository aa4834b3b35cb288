import ChatProtocol
import SMPWire
import TestSupport
import TranscriptSupport

/// The recorded commands of the API, changed.
struct APICommands {
    /// Commands about files of this disk and other devices are not among them: changed, they would name any file.
    private static let excluded = ["/_db", "/db", "/sql", "/_files", "/_temp", "/_set app", "/_remote"]

    let recorded: [String]

    init() throws {
        recorded = try Set(Transcript.names.flatMap { try Transcript.load($0).exchanges.map(\.command) }).sorted()
            .filter { command in !Self.excluded.contains { command.hasPrefix($0) } }
    }

    /// One of the recorded commands with its JSON, its numbers, its words or its bytes changed.
    func changed(_ mutator: inout Mutator) -> String {
        let command = mutator.pick(recorded)
        switch mutator.below(4) {
        case 0, 1:
            if let start = command.firstIndex(where: { "{[".contains($0) }), let json = try? JSONValue(parsing: Array(command[start...].utf8)) {
                return command[..<start] + mutator.mutated(json).text
            }
            let replaced = ExtremeNumbers.replacements(in: command)
            return replaced.isEmpty ? words(command, &mutator) : mutator.pick(replaced)
        case 2: return words(command, &mutator)
        default: return String(decoding: mutator.mutated(Bytes(command.utf8)), as: UTF8.self)
        }
    }

    /// Without a word, with one repeated, or with another in its place.
    private func words(_ command: String, _ mutator: inout Mutator) -> String {
        var words = command.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        let index = mutator.below(words.count)
        switch mutator.below(3) {
        case 0: words.remove(at: index)
        case 1: words.insert(words[index], at: mutator.below(words.count + 1))
        default: words[index] = mutator.chance(1, in: 2) ? mutator.pick(Mutator.texts) : mutator.pick(Mutator.numbers)
        }
        return words.joined(separator: " ")
    }
}
