public import SMPWire

/// Several messages in one body.
public enum MessageBatching {
    /// The encoding of several messages in a body. A body of a single message is that message, in both.
    public enum Mode: Sendable {
        /// `[message,message,…]`, in direct chats and in groups without relays.
        case json
        /// `=`, a count, and the messages behind two-byte lengths, in groups with relays.
        case binary
    }

    /// The outcome for some of the messages.
    public enum Outcome: Hashable, Sendable {
        /// These messages, by their places in the list, are sent in this body.
        case batch(Bytes, Range<Int>)
        /// The message at this place is above the limit by itself, and cannot be sent.
        case tooLarge(Int)
    }

    /// Packs messages into bodies, in order, up to `limit` bytes each. Bodies are filled from the last message backwards, as
    /// official clients do, so that it is the first one that may be left with room.
    public static func batches(of elements: [Bytes], mode: Mode, limit: Int = ChatLimits.encodedMessage) -> [Outcome] {
        var outcomes: [Outcome] = []
        var batch = elements.endIndex..<elements.endIndex
        var length = 0

        func close() {
            if !batch.isEmpty { outcomes.append(.batch(body(of: elements[batch], mode: mode), batch)) }
        }

        for index in elements.indices.reversed() {
            let size = elements[index].count
            if bodyLength(mode, count: batch.count + 1, total: length + size) <= limit, batch.count < ChatLimits.messagesPerBody {
                batch = index..<batch.upperBound
                length += size
                continue
            }
            close()
            if size <= limit {
                batch = index..<index + 1
                length = size
            } else {
                outcomes.append(.tooLarge(index))
                batch = index..<index
                length = 0
            }
        }
        close()
        return outcomes.reversed()
    }

    /// Makes the body that a relay delivers at once: the longest beginning of the list that fits a binary batch, with those left out that
    /// fit none.
    ///
    /// - Returns: The body, empty if nothing fits; how many elements of the list are done with; which of them were too large.
    public static func delivery(
        of elements: some Collection<Bytes>, limit: Int = ChatLimits.encodedMessage
    ) -> (body: Bytes, done: Int, tooLarge: [Int]) {
        var included: [Bytes] = []
        var tooLarge: [Int] = []
        var length = 0
        var done = 0
        for element in elements {
            if bodyLength(.binary, count: 2, total: element.count) - 2 > limit {
                tooLarge.append(done)
            } else {
                let total = length + element.count
                guard included.count < ChatLimits.binaryBatchElements, 2 + 2 * (included.count + 1) + total <= limit else {
                    break
                }
                included.append(element)
                length = total
            }
            done += 1
        }
        return (binaryBatch(of: included), done, tooLarge)
    }

    /// A binary batch, also of a single element: a relay's elements may start with any letter.
    ///
    /// - Precondition: At most 255 elements of at most 65,535 bytes.
    public static func binaryBatch(of elements: some Collection<Bytes>) -> Bytes {
        guard !elements.isEmpty else { return [] }
        var writer = WireWriter(reservingCapacity: elements.reduce(2) { $0 + $1.count + 2 })
        writer.write(byte: UInt8(ascii: "="))
        writer.write(byte: UInt8(elements.count))
        for element in elements { writer.write(large: element) }
        return writer.bytes
    }

    private static func body(of elements: ArraySlice<Bytes>, mode: Mode) -> Bytes {
        if elements.count == 1, let only = elements.first { return only }
        switch mode {
        case .binary: return binaryBatch(of: elements)
        case .json:
            var body = Bytes()
            body.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { body.append(UInt8(ascii: ",")) }
                body += element
            }
            body.append(UInt8(ascii: "]"))
            return body
        }
    }

    private static func bodyLength(_ mode: Mode, count: Int, total: Int) -> Int {
        switch (count, mode) {
        case (1, _): total
        case (_, .json): total + count + 1
        case (_, .binary): total + 2 * count + 2
        }
    }
}
