import SMPCrypto
import SMPProtocol
import SMPWire
import Testing
import VectorSupport
import XFTPProtocol

@Suite struct HandshakeVectorTests {
    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-client-hello"))
    func aClientHelloHasTheRecordedEncoding(_ item: VectorCase) throws {
        let hello = XFTPClientHello(challenge: item["challenge"].hex)
        #expect(hello.wireBytes == (try item.hex("hex")))
        #expect(try XFTPClientHello(wireBytes: try item.hex("hex") + [1, 2]) == hello)
    }

    @Test func aChallengeOfAnotherSizeIsRefused() {
        #expect(throws: WireError.self) { try XFTPClientHello(wireBytes: XFTPClientHello(challenge: [1, 2, 3]).wireBytes) }
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-client-handshake"))
    func aClientHandshakeHasTheRecordedEncoding(_ item: VectorCase) throws {
        let handshake = XFTPClientHandshake(version: UInt16(try item.integer("version")), keyHash: KeyHash(try item.hex("key_hash")))
        #expect(handshake.wireBytes == (try item.hex("hex")))
        #expect(try XFTPClientHandshake(wireBytes: try item.hex("hex") + [0]) == handshake)
    }

    @Test(arguments: try Vectors.cases("xftp", kinds: "xftp-server-handshake"))
    func aServerHelloHasTheRecordedEncodingAndIsAnsweredWithTheHighestVersion(_ item: VectorCase) throws {
        let bytes = try item.hex("hex")
        let hello = try XFTPServerHello(wireBytes: bytes)
        #expect(hello.wireBytes == bytes)
        let block = try XFTPBlock.pad(bytes)
        let keyHash = KeyHash(try item.hex("server_key_hash"))
        let sessionID = try item.hex("session_id")
        let (answer, session) = try XFTPSessionParameters.respond(to: block, keyHash: keyHash, sessionID: sessionID)
        #expect(session.version == 3)
        #expect(session.serverKey?.raw == (try item.hex("server_x25519_public_raw")))
        #expect(try XFTPClientHandshake(wireBytes: try XFTPBlock.unpad(answer)) == XFTPClientHandshake(version: 3, keyHash: keyHash))
        #expect(throws: TransportError.badSession) {
            try XFTPSessionParameters.respond(to: block, keyHash: keyHash, sessionID: Bytes(repeating: 0, count: 32))
        }
        #expect(throws: TransportError.handshake(.badAuth)) {
            try XFTPSessionParameters.respond(to: block, keyHash: KeyHash(Bytes(repeating: 0, count: 32)), sessionID: sessionID)
        }
        #expect(throws: TransportError.version) {
            try XFTPSessionParameters.respond(to: block, versions: VersionRange(9), keyHash: keyHash, sessionID: sessionID)
        }
        for count in 0..<bytes.count - 1 { #expect(throws: WireError.self) { try XFTPServerHello(wireBytes: Bytes(bytes[..<count])) } }
    }
}
