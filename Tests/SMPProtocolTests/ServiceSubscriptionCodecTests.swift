import SMPCrypto
import SMPProtocol
import SMPWire
import Testing

/// What a client and a router say about the queues of a service, by version.
@Suite struct ServiceSubscriptionCodecTests {
    private static let ids = (1...3).map { EntityID(Bytes(repeating: $0, count: 24)) }
    private static let counts: [ServiceQueues] = [
        .none, .unknown, ServiceQueues(ids), ServiceQueues(count: .max, hash: ServiceQueues(ids).hash), ServiceQueues(count: .min),
    ]

    @Test func aHashIsTheXOROfTheMD5OfEachId() {
        #expect(Hash.md5([]) == [0xd4, 0x1d, 0x8c, 0xd9, 0x8f, 0x00, 0xb2, 0x04, 0xe9, 0x80, 0x09, 0x98, 0xec, 0xf8, 0x42, 0x7e])
        #expect(Hash.md5(Bytes("abc".utf8)) == [0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0, 0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72])
        let hashes = Self.ids.map { Hash.md5($0.bytes) }
        let expected = (0..<16).map { index in hashes.reduce(0) { $0 ^ $1[index] } }
        #expect(ServiceQueues(Self.ids).hash.bytes == expected)
        #expect(ServiceQueues(Self.ids).count == 3)
    }

    @Test func theOrderInWhichQueuesComeAndGoDoesNotMatter() {
        var queues = ServiceQueues(Self.ids.reversed())
        #expect(queues == ServiceQueues(Self.ids))
        queues.remove(Self.ids[1])
        #expect(queues == ServiceQueues([Self.ids[2], Self.ids[0]]))
        queues.remove(Self.ids[0])
        queues.remove(Self.ids[2])
        #expect(queues == .none)
        // What overflows is wrong, and harms nobody.
        var full = ServiceQueues(count: .max)
        full.insert(Self.ids[0])
        #expect(full.count == .min)
    }

    @Test(arguments: counts.indices)
    func commandsAndAnswersCarryCountAndHashFromVersion19On(_ index: Int) throws {
        let queues = Self.counts[index]
        let number = queues.count.wireBytes
        let both = number + [16] + queues.hash.bytes
        for version: UInt16 in 16...20 {
            let isNew = version >= 19
            for (command, word) in [(SMPCommand.subs(queues), "SUBS"), (.nsubs(queues), "NSUBS")] {
                let bytes = command.bytes(version: version)
                #expect(bytes == Bytes(word.utf8) + (isNew ? [0x20] + both : []))
                let expected: SMPCommand = isNew ? command : word == "SUBS" ? .subs(.unknown) : .nsubs(.unknown)
                #expect(try SMPCommand(parsing: bytes, version: version) == expected)
            }
            for (answer, word) in [(SMPBrokerMessage.soks(queues), "SOKS"), (.ends(queues), "ENDS")] {
                let bytes = answer.bytes(version: version)
                #expect(bytes == Bytes("\(word) ".utf8) + (isNew ? both : number))
                let read = isNew ? queues : ServiceQueues(count: queues.count)
                #expect(try SMPBrokerMessage(parsing: bytes, version: version) == (word == "SOKS" ? .soks(read) : .ends(read)))
            }
            #expect(SMPBrokerMessage.alls.bytes(version: version) == Bytes("ALLS".utf8))
            #expect(try SMPBrokerMessage(parsing: Bytes("ALLS".utf8), version: version) == .alls)
        }
    }

    @Test func whatIsCutOffOrOfTheOtherVersionIsRefused() {
        let queues = ServiceQueues(Self.ids)
        let commands = [SMPCommand.subs(queues), .nsubs(queues)].map { $0.bytes(version: 19) }
        for bytes in commands {
            for count in bytes.indices {
                let part = Bytes(bytes.prefix(count))
                // `SUB` and `NSUB` are commands of their own.
                if part == Bytes("SUB".utf8) || part == Bytes("NSUB".utf8) { continue }
                #expect(throws: SMPErrorType.self, "\(count) bytes") { try SMPCommand(parsing: part, version: 19) }
            }
            #expect(throws: SMPErrorType.command(.syntax)) { try SMPCommand(parsing: bytes + [0], version: 19) }
            #expect(throws: SMPErrorType.command(.syntax)) { try SMPCommand(parsing: bytes, version: 18) }
        }
        for bytes in [SMPBrokerMessage.soks(queues), .ends(queues)].map({ $0.bytes(version: 19) }) {
            for count in 5..<bytes.count {
                #expect(throws: SMPErrorType.self) { try SMPBrokerMessage(parsing: Bytes(bytes.prefix(count)), version: 19) }
            }
            #expect(throws: SMPErrorType.command(.syntax)) { try SMPBrokerMessage(parsing: bytes + [0], version: 19) }
            #expect(throws: SMPErrorType.command(.syntax)) { try SMPBrokerMessage(parsing: bytes, version: 18) }
        }
        #expect(throws: SMPErrorType.command(.syntax)) { try SMPBrokerMessage(parsing: Bytes("ALLS 1".utf8), version: 19) }
    }

    @Test(arguments: [0, 1, 15, 17, 255])
    func aHashOfAnotherLengthIsRefused(_ length: UInt8) {
        let bytes = Bytes("SOKS ".utf8) + Int64(1).wireBytes + [length] + Bytes(repeating: 1, count: Int(length))
        #expect(throws: SMPErrorType.command(.syntax)) { try SMPBrokerMessage(parsing: bytes, version: 19) }
    }
}
