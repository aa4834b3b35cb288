import SMPCrypto
import SMPWire
import Testing
import VectorSupport

@testable import SMPRatchet

@Suite struct AgreementVectorTests {
    static func recorded() throws -> [VectorCase] { try Vectors.cases("ratchet", kinds: "x3dh", "transcript") }

    @Test("Parameters are written and read as recorded", arguments: try recorded(), ["initiator", "joiner"])
    func parameters(recorded: VectorCase, party: String) throws {
        let side = recorded["setup"][party]
        let bytes = try Recorded.hex(side["params_binary"])
        let parameters = try Recorded.parameters(side["params"])
        #expect(parameters.wireBytes == bytes)
        #expect(try RatchetParameters(wireBytes: bytes) == parameters)
    }

    @Test("The side that joins finds the recorded secrets and ratchet", arguments: try recorded())
    func join(recorded: VectorCase) throws {
        let (side, peer) = (recorded["setup"]["joiner"], recorded["setup"]["initiator"])
        let offer = try Recorded.parameters(peer["params"])
        let kem = side["kem_private_params"]
        let keys = AgreementKeys(
            key1: try Recorded.privateKey(side["private1_raw"]), key2: try Recorded.privateKey(side["private2_raw"]),
            kem: try Recorded.kemKeyPair(kem))
        let encapsulation: SNTRUP761.Encapsulation? =
            kem["state"].string == "accepted"
            ? SNTRUP761.Encapsulation(
                ciphertext: try SNTRUP761.Ciphertext(Recorded.hex(kem["ciphertext"])),
                sharedSecret: try Recorded.secret(hex: kem["shared"])) : nil

        let secrets = try PQX3DH.initiate(key1: keys.key1, key2: keys.key2, offer: offer, kem: encapsulation?.sharedSecret)
        try check(secrets, side["init"])

        let state = try Recorded.ratchet(side["ratchet_state"])
        let ratchet = try Ratchet(
            sendingTo: offer, keys: keys, encapsulation: encapsulation,
            ratchetKey: try Recorded.privateKey(side["ratchet_private_raw"]), maximumVersion: state.versions.maximum)
        #expect(ratchet == state)
        #expect(ratchet.canSend)
    }

    @Test("The side that made the offer finds the recorded secrets and ratchet", arguments: try recorded())
    func receive(recorded: VectorCase) throws {
        let (side, peer) = (recorded["setup"]["initiator"], recorded["setup"]["joiner"])
        let answer = try Recorded.parameters(peer["params"])
        let kem = try Recorded.kemKeyPair(side["kem_private_params"])
        let keys = AgreementKeys(
            key1: try Recorded.privateKey(side["private1_raw"]), key2: try Recorded.privateKey(side["private2_raw"]), kem: kem)
        #expect(try keys.offer(version: answer.version) == Recorded.parameters(side["params"]))

        var shared: SNTRUP761.SharedSecret?
        if case .accepted(let ciphertext, _)? = answer.kem {
            shared = SNTRUP761.decapsulate(ciphertext, with: try #require(kem).secretKey)
            #expect(try shared == Recorded.secret(hex: side["init"]["kem_accepted"]["shared"]))
        }
        let secrets = try PQX3DH.respond(key1: keys.key1, key2: keys.key2, answer: answer, kem: shared)
        try check(secrets, side["init"])

        let state = try Recorded.ratchet(side["ratchet_state"])
        let ratchet = try Ratchet(
            receivingFrom: answer, keys: keys, pqSupport: state.supportsPQ, maximumVersion: state.versions.maximum)
        #expect(ratchet == state)
        #expect(!ratchet.canSend)
    }

    private func check(_ secrets: PQX3DH.Secrets, _ recorded: VectorValue) throws {
        #expect(try secrets.associatedData == Recorded.hex(recorded["assoc_data"]))
        #expect(try secrets.rootKey == Recorded.secret(hex: recorded["root_key"]))
        #expect(try secrets.headerKey == Recorded.secret(hex: recorded["snd_header_key"]))
        #expect(try secrets.nextHeaderKey == Recorded.secret(hex: recorded["rcv_next_header_key"]))
    }
}
