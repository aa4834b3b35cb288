import SMPTransport
import SMPWire
import Testing

@Suite("Connections")
struct ConnectionTests {
    @Test("Client and server agree on a session and exchange blocks", arguments: SignatureAlgorithm.allCases)
    func exchange(_ algorithm: SignatureAlgorithm) async throws {
        let credential = try ServerCredential.generate(algorithm: algorithm)
        try await withListener(credential) { listener, accepted in
            let client = try await SMPTransportClient().connect(
                host: "127.0.0.1", port: listener.port, keyHash: credential.fingerprint)
            let server = try await accepted.first()
            #expect(client.sessionID == server.sessionID)
            #expect(client.sessionID.count == 32)
            #expect(client.handshake.applicationProtocol == "smp/1")
            #expect(server.handshake.applicationProtocol == "smp/1")
            #expect(client.handshake.version == "TLSv1.3")
            #expect(client.peerChain == credential.chain)
            #expect(server.peerChain.isEmpty)

            var fromClient = server.blocks.makeAsyncIterator()
            var fromServer = client.blocks.makeAsyncIterator()
            for number in 0..<20 as Range<UInt8> {
                try await client.send(Bytes(repeating: number, count: SMPConnection.blockSize))
                #expect(try await fromClient.next() == Bytes(repeating: number, count: SMPConnection.blockSize))
                try await server.send(Bytes(repeating: number &+ 100, count: SMPConnection.blockSize))
                #expect(try await fromServer.next() == Bytes(repeating: number &+ 100, count: SMPConnection.blockSize))
            }
            await client.close()
            #expect(try await fromClient.next() == nil)
            await server.close()
        }
    }
}
