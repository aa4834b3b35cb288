package import SMPWire

/// Some transmissions that fit into one block.
package struct TransmissionBatch: WireEncodable, Hashable, Sendable {
    private let transmissions: ArraySlice<Bytes>

    fileprivate init(_ transmissions: ArraySlice<Bytes>) { self.transmissions = transmissions }

    /// Which of the given transmissions it holds.
    package var indices: Range<Int> { transmissions.indices }

    /// The content of the block, before padding and encryption.
    package var content: Bytes { wireBytes }

    package func encode(to writer: inout WireWriter) {
        writer.write(byte: UInt8(transmissions.count))
        for transmission in transmissions { writer.write(large: transmission) }
    }
}

/// Packs transmissions into blocks and takes them out (simplex-messaging.md, "Batching": one byte of count, then every
/// transmission behind two bytes of length).
package enum TransmissionBatcher {
    /// The size of a block on the wire.
    package static let blockSize = 16_384
    /// The most that the transmissions of a block take up with their lengths: what remains after two bytes of padding length,
    /// one of count and sixteen of the tag of block encryption.
    package static let contentLimit = blockSize - 19
    /// The longest transmission that fits.
    package static let maximumTransmission = contentLimit - 2
    package static let maximumCount = 255

    /// Packs transmissions, keeping their order. Blocks fill from the last transmission on, as official clients fill them.
    ///
    /// - Returns: the batches in order of sending, and the indices of transmissions that are too long for any block.
    package static func pack(_ transmissions: [Bytes]) -> (batches: [TransmissionBatch], oversized: [Int]) {
        var batches: [TransmissionBatch] = []
        var oversized: [Int] = []
        var end = transmissions.count
        var length = 0
        func close(at start: Int) {
            if start < end { batches.append(TransmissionBatch(transmissions[start..<end])) }
            length = 0
        }
        for index in transmissions.indices.reversed() {
            let size = transmissions[index].count + 2
            if size > contentLimit {
                close(at: index + 1)
                oversized.append(index)
                end = index
            } else if length + size > contentLimit || end - index > maximumCount {
                close(at: index + 1)
                end = index + 1
                length = size
            } else {
                length += size
            }
        }
        close(at: 0)
        return (batches.reversed(), oversized.reversed())
    }

    /// A batch of one transmission, as proxied commands have it; nil if it is too long.
    package static func pack(one transmission: Bytes) -> Bytes? { pack([transmission]).batches.first?.content }
}

extension TransmissionContext {
    /// Reads the content of a block. What cannot be read as a batch is one transmission with error `BLOCK`.
    package func decode<Message: SMPMessage>(
        block content: Bytes, as _: Message.Type = Message.self
    ) -> [ReceivedTransmission<Message>] {
        do {
            var parser = WireParser(content)
            let count = Int(try parser.byte())
            guard count > 0 else { throw parser.error(.invalidValue, "a block has a transmission") }
            var transmissions: [WireParser] = []
            transmissions.reserveCapacity(count)
            for _ in 0..<count { transmissions.append(try parser.nested(Int(parser.read(UInt16.self)))) }
            try parser.finish()
            return transmissions.map { ReceivedTransmission($0, in: self) }
        } catch {
            return [ReceivedTransmission(failed: .block, in: self)]
        }
    }
}
