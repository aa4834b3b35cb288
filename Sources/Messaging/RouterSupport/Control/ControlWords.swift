package import SMPProtocol
import SMPWire

/// The words of an operator's command to a running router of any kind.
package struct ControlWords {
    private var words: ArraySlice<Substring>

    package init(_ line: String) { words = line.split(separator: " ")[...] }

    /// Reads the name of the command.
    ///
    /// - Throws: `badCommand` for an empty line.
    package mutating func command() throws(ControlError) -> Substring {
        guard let name = words.popFirst() else { throw ControlError("badCommand", "the command is missing") }
        return name
    }

    /// Reads the next id: 24 bytes as base64url.
    ///
    /// - Parameters:
    ///   - kind: The word for the thing that has the id.
    ///   - sources: The things that people take ids from.
    /// - Throws: `badCommand`.
    package mutating func id(of kind: String, asIn sources: String) throws(ControlError) -> EntityID {
        guard let word = words.popFirst() else { throw ControlError("badCommand", "the id of the \(kind) is missing") }
        guard let bytes = Base64URL.decode(word), bytes.count == EntityID.length else {
            throw ControlError("badCommand", "\"\(word)\" is not the id of a \(kind): 32 characters as \(sources) have them")
        }
        return EntityID(bytes)
    }

    /// Reads the reason of a block and, if present, the hours for which clients show a notice: at most 87,600.
    ///
    /// - Throws: `badCommand`.
    package mutating func blockingInfo() throws(ControlError) -> BlockingInfo {
        guard let word = words.popFirst(), let reason = BlockingInfo.Reason(rawValue: String(word)) else {
            throw ControlError("badCommand", "the reason must be spam or content")
        }
        guard let word = words.popFirst() else { return BlockingInfo(reason: reason, notice: nil) }
        guard let hours = Int64(word), (0...87_600).contains(hours) else {
            throw ControlError("badCommand", "the hours for which clients show a notice must be a number up to 87600")
        }
        return BlockingInfo(reason: reason, notice: ClientNotice(ttl: hours * 3_600))
    }

    /// Refuses remaining words.
    ///
    /// - Throws: `badCommand`.
    package func end() throws(ControlError) {
        if let word = words.first { throw ControlError("badCommand", "unexpected word \"\(word)\" at the end of the command") }
    }
}
