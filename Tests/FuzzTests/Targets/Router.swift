import SMPCrypto
import SMPProtocol
import SMPWire

@testable import RouterSupport
@testable import SMPServer

/// What passes between clients and routers.
extension FuzzTarget {
    /// The first byte of an input says the version of the session.
    private static func version(_ bytes: Bytes) -> (UInt16, Bytes) {
        let versions = SMPVersion.encodable
        return (versions.min + UInt16(bytes.first ?? 0) % (versions.max - versions.min + 1), Bytes(bytes.dropFirst()))
    }

    private static func inAllVersions(_ seeds: [Bytes]) -> [Bytes] {
        let count = UInt8(SMPVersion.encodable.max - SMPVersion.encodable.min)
        return seeds.flatMap { [[count] + $0, [0] + $0] }
    }

    /// A block with its padding, whose transmissions are read as a router and as a client reads them.
    static let block = FuzzTarget("block", maximumLength: 16_384) {
        inAllVersions(try Seeds.bytes("smp_transport"))
    } run: { input throws(FuzzFault) in
        let (version, bytes) = version(input)
        let context = TransmissionContext(version: version, sessionID: Bytes(repeating: 1, count: 32))
        // What is shorter than a block stands for its beginning.
        var cipher = BlockCipher()
        let block = Bytes(bytes.prefix(BlockCipher.blockSize)) + Bytes(repeating: 35, count: max(0, BlockCipher.blockSize - bytes.count))
        for content in [bytes, (try? cipher.open(block)) ?? []] {
            for transmission in context.decode(block: content, as: SMPCommand.self) {
                guard let command = try? transmission.message.get() else { continue }
                _ = transmission.authorizedData
                try again(command, version)
            }
            for transmission in context.decode(block: content, as: SMPBrokerMessage.self) {
                guard let response = try? transmission.message.get() else { continue }
                try again(response, version)
            }
        }
    }

    static let command = FuzzTarget("command") {
        inAllVersions(try Seeds.bytes("smp_transport"))
    } run: { input throws(FuzzFault) in
        let (version, bytes) = version(input)
        if let command = try? SMPCommand(parsing: bytes, version: version) { try again(command, version) }
    }

    static let response = FuzzTarget("response") {
        inAllVersions(try Seeds.bytes("smp_transport"))
    } run: { input throws(FuzzFault) in
        let (version, bytes) = version(input)
        if let response = try? SMPBrokerMessage(parsing: bytes, version: version) { try again(response, version) }
        try check(ReceivedMessageBody.self, bytes)
    }

    /// What was written is read, and written the same. Old versions cannot say everything, so that it may be less than what was read first.
    private static func again<Message: SMPMessage>(_ message: Message, _ version: UInt16) throws(FuzzFault) {
        let bytes = message.bytes(version: version)
        do {
            let again = try Message(parsing: bytes, version: version)
            try FuzzFault.unless(
                again.bytes(version: version) == bytes, "\(message) of version \(version) is written as \(FuzzFault.hex(bytes)) and read as \(again)")
        } catch let error as FuzzFault {
            throw error
        } catch {
            throw FuzzFault("\(message) of version \(version) is written as \(FuzzFault.hex(bytes)), which is not read: \(error)")
        }
    }

    static let handshake = FuzzTarget("handshake") {
        try Seeds.bytes("smp_transport")
    } run: { input throws(FuzzFault) in
        try check(SMPServerHello.self, input)
        try check(SMPClientHello.self, input)
        try check(SMPServiceResponse.self, input)
        if let key = try? CertifiedKey(wireBytes: input) {
            _ = try? key.verifiedX25519Key()
            _ = try? key.verifiedEd25519Key()
        }
    }

    static let routerError = FuzzTarget("router-error") {
        try Seeds.bytes("smp_transport", "encoding") + Seeds.texts("smp_transport")
    } run: { input throws(FuzzFault) in
        try check(SMPErrorType.self, input)
        try check(text: SMPErrorType.self, input)
        try check(text: BrokerErrorType.self, input)
    }

    /// A journal of one segment with the input behind its header, and a record of every kind.
    static let journal = FuzzTarget("journal") {
        guard let queue = Identifier(Bytes(repeating: 7, count: Identifier.count)) else { throw FuzzFault("an id of 24 bytes") }
        let storage = MemoryStorage()
        let (journal, _) = try Journal.open(storage, durability: .always, segmentSize: 1 << 20)
        _ = journal.append(.acknowledged(queue: queue, upTo: 3))
        _ = journal.append(.deleted(queue: queue))
        try journal.commit()
        let bytes = storage.contents.values.flatMap { $0.dropFirst(SegmentHeader.length) }
        return [Bytes(bytes)] + (try Seeds.bytes("smp_transport"))
    } run: { input throws(FuzzFault) in
        let storage = MemoryStorage([0: SegmentHeader.bytes(base: 0) + input])
        if let (journal, _) = try? Journal.open(storage, durability: .always, segmentSize: 1 << 20) {
            do {
                try journal.commit()
            } catch {
                throw FuzzFault("what was opened cannot be written: \(error)")
            }
        }
        if let first = input.first, let tag = JournalRecord.Tag(rawValue: first) {
            guard let record = try? JournalRecord(tag, Bytes(input.dropFirst())) else { return }
            var writer = WireWriter()
            record.encode(to: &writer)
            try FuzzFault.unless((try? JournalRecord(tag, writer.bytes)) == record, "\(record) is written and read as another")
        }
    }
}
