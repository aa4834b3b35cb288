extension FileDescription {
    /// The description in an invitation while the file is being uploaded: part 0, which is empty.
    public static let pending = FileDescription(text: "", partNumber: 0, isComplete: false)

    /// Splits a description into parts that messages can carry. They follow ``pending``, so that the first one is part 1.
    public static func parts(of text: String) -> [FileDescription] {
        var parts: [FileDescription] = []
        var rest = text.unicodeScalars[...]
        repeat {
            var end = rest.startIndex
            var length = 0
            while end < rest.endIndex {
                length += UTF8.width(rest[end])
                guard length <= ChatLimits.fileDescriptionPart else { break }
                rest.formIndex(after: &end)
            }
            let part = String(String.UnicodeScalarView(rest[..<end]))
            rest = rest[end...]
            parts.append(FileDescription(text: part, partNumber: parts.count + 1, isComplete: rest.isEmpty))
        } while !rest.isEmpty
        return parts
    }

    /// Takes in the part that follows.
    ///
    /// - Throws: `outOfOrder` unless it is the next one of a description that is not complete; `tooLarge` if all parts together are above
    ///   ``ChatLimits/fileDescription``, for more than ``ChatLimits/fileDescriptionParts`` of them, and for an empty one before the last. The
    ///   description is as before then.
    public mutating func append(_ part: FileDescription) throws(ChatProtocolError) {
        guard !isComplete, partNumber < .max, part.partNumber == partNumber + 1 else {
            throw ChatProtocolError(.outOfOrder, "part \(part.partNumber) of a file description after part \(partNumber)")
        }
        // Each part costs the reading and writing of all that came before it.
        guard part.partNumber <= ChatLimits.fileDescriptionParts, part.isComplete || !part.text.isEmpty else {
            throw ChatProtocolError(.tooLarge, "part \(part.partNumber) of a file description is empty, or one too many")
        }
        guard text.utf8.count + part.text.utf8.count <= ChatLimits.fileDescription else {
            throw ChatProtocolError(.tooLarge, "a file description above \(ChatLimits.fileDescription) bytes")
        }
        text += part.text
        partNumber = part.partNumber
        isComplete = part.isComplete
    }
}
