import NIOCore
import SMPProtocol
import SMPTransport
import SMPWire
import Testing
import XFTPProtocol
import XFTPTransport

@testable import XFTPServer

let requestHeaders = [(":method", "POST"), (":scheme", "https"), (":authority", "a"), (":path", "/")]

func openConnection(_ router: FileRouter) async throws -> HTTP2Connection {
    var settings = SMPTransportClient.Configuration()
    settings.applicationProtocols = ["xftp/1"]
    return try await SMPTransportClient(configuration: settings).connect(
        host: "127.0.0.1", port: router.port, keyHash: router.address.keyHash.bytes, open: HTTP2Connection.open(isClient: true))
}

func request(_ connection: HTTP2Connection, _ bytes: Bytes) async throws -> Bytes {
    try await request(connection, bytes.isEmpty ? [] : [bytes], isEnd: true)
}

/// Sends a body in pieces, with its end or without one.
func request(_ connection: HTTP2Connection, _ pieces: [Bytes], isEnd: Bool) async throws -> Bytes {
    try await connection.openStream().executeThenClose { inbound, outbound in
        try await outbound.send(headers: requestHeaders, isEnd: isEnd && pieces.isEmpty)
        for (index, piece) in pieces.enumerated() { try await outbound.send(piece, isEnd: isEnd && index == pieces.count - 1) }
        var body = HTTP2Body(inbound)
        return try await body.bytes(16_384)
    }
}

func shakeHands(_ connection: HTTP2Connection, _ router: FileRouter) async throws -> TransmissionContext {
    let hello = try await request(connection, [])
    let (block, session) = try XFTPSessionParameters.respond(
        to: hello, keyHash: router.address.keyHash, sessionID: connection.handshake.sessionID)
    let answer = try await request(connection, block)
    #expect(answer.isEmpty)
    return session.context
}
