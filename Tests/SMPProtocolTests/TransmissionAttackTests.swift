import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport

/// Nothing that arrives in a block may trap; what cannot be read becomes an error.
@Suite struct TransmissionAttackTests {
    let context = TransmissionContext(version: 18, sessionID: Bytes(repeating: 1, count: 32))

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "command"))
    func aCommandTruncatedAtAnyByteIsReadAsAnotherOrRefused(_ item: VectorCase) throws {
        for (versions, bytes) in try encodings(item) {
            for count in bytes.indices {
                let truncated = Bytes(bytes.prefix(count))
                do throws(SMPErrorType) {
                    let command = try SMPCommand(parsing: truncated, version: versions.upperBound)
                    #expect(command.bytes(version: versions.upperBound) == truncated)
                } catch {
                    #expect(error == .command(.syntax) || error == .command(.unknown))
                }
            }
        }
    }

    @Test(arguments: try Vectors.cases("smp_transport", kinds: "response"))
    func aResponseTruncatedAtAnyByteNeverTraps(_ item: VectorCase) throws {
        for (versions, bytes) in try encodings(item) {
            for count in bytes.indices {
                _ = try? SMPBrokerMessage(parsing: Bytes(bytes.prefix(count)), version: versions.upperBound)
            }
        }
    }

    @Test func randomBlocksNeverTrap() {
        let random = SeededRandomSource(seed: 10)
        for round in 0..<3_000 {
            let size = Int(random.bytes(1)[0])
            let block = random.bytes(size)
            for version: UInt16 in [6, 9, 15, 18] {
                let context = TransmissionContext(version: version, sessionID: context.sessionID)
                let commands = context.decode(block: block, as: SMPCommand.self)
                let messages = context.decode(block: block, as: SMPBrokerMessage.self)
                #expect(!commands.isEmpty && !messages.isEmpty, "round \(round)")
            }
        }
    }

    @Test func garbledValidBlocksNeverTrap() throws {
        let random = SeededRandomSource(seed: 11)
        let transmissions = try Vectors.cases("smp_transport", kinds: "transmission").map { try $0.hex("transmission") }
        for batch in TransmissionBatcher.pack(transmissions).batches {
            for index in stride(from: 0, to: batch.content.count, by: 3) {
                var garbled = batch.content
                garbled[index] ^= random.bytes(1)[0] | 1
                #expect(!context.decode(block: garbled, as: SMPCommand.self).isEmpty)
            }
        }
    }

    @Test func aBatchClaimingMoreThanItHoldsIsOneError() {
        let block: Bytes = [255] + Bytes(repeating: 0, count: 508)
        let received = context.decode(block: block, as: SMPCommand.self)
        #expect(received.count == 1)
        #expect(throws: SMPErrorType.block) { try received[0].message.get() }
    }

    @Test func aServiceSignatureOfAnotherSizeIsABadBlock() {
        var writer = WireWriter()
        writer.write(short: Bytes(repeating: 1, count: 64))
        writer.write(optional: ShortBytes([1, 2, 3]))
        writer.write(CorrelationID.none)
        writer.write(EntityID.none)
        writer.write(text: "PING")
        let block: Bytes = [1] + LargeBytes(writer.bytes).wireBytes
        #expect(throws: SMPErrorType.block) { try context.decode(block: block, as: SMPCommand.self)[0].message.get() }
    }

    @Test func certificatesOfGarbageAreRefusedNotTrapped() {
        let random = SeededRandomSource(seed: 12)
        for size in 0..<120 {
            let garbage = CertifiedKey(certificateChain: [random.bytes(size), random.bytes(size)], signedKey: random.bytes(size))
            #expect(throws: HandshakeError.badAuth) { try garbage.verifiedX25519Key() }
            #expect(throws: HandshakeError.badAuth) { try garbage.verifiedEd25519Key() }
        }
        for bytes: Bytes in [[0x30, 0x84, 1, 1, 1, 1], [0x30, 0x80], [0x30, 0x83, 0xFF, 0xFF, 0xFF], [0x30, 0x82, 1], [0x30]] {
            #expect(throws: WireError.self) { try CertifiedKey(certificateChain: [bytes], signedKey: []).leafKey() }
        }
    }
}
