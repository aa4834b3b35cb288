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
        try part.check(after: partNumber, size: text.utf8.count, isComplete: isComplete)
        text += part.text
        partNumber = part.partNumber
        isComplete = part.isComplete
    }

    /// Checks that the part follows those before it, as ``append(_:)`` does, without their text.
    ///
    /// - Parameters:
    ///   - number: The number of the part before it.
    ///   - size: The length of the text so far, in bytes.
    ///   - isComplete: Whether the part before it was the last.
    public func check(after number: Int, size: Int, isComplete: Bool) throws(ChatProtocolError) {
        guard !isComplete, number < .max, partNumber == number + 1 else {
            throw ChatProtocolError(.outOfOrder, "part \(partNumber) of a file description after part \(number)")
        }
        guard partNumber <= ChatLimits.fileDescriptionParts, self.isComplete || !text.isEmpty else {
            throw ChatProtocolError(.tooLarge, "part \(partNumber) of a file description is empty, or one too many")
        }
        let (whole, isTooLong) = size.addingReportingOverflow(text.utf8.count)
        guard !isTooLong, whole <= ChatLimits.fileDescription else {
            throw ChatProtocolError(.tooLarge, "a file description above \(ChatLimits.fileDescription) bytes")
        }
    }
}
