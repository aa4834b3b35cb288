import Foundation
import ListenerSupport
import NIOCore
import NIOEmbedded
import SMPWire
import TestSupport
import Testing

@testable import SMPTransport

/// The connections of a listener, as channels, and a connection that writes as it ends.
@Suite struct AdmissionTests {
    private func connections(_ limit: Int, handshakes: Int = 100) -> AcceptedConnections {
        AcceptedConnections(.init(connections: limit, connectionsPerAddress: nil, handshakes: handshakes))
    }

    @Test func aListenerThatHasStoppedTakesNoConnection() {
        let connections = connections(10), open = EmbeddedChannel()
        #expect(connections.add(open))
        #expect(connections.stop().count == 1)
        #expect(!connections.add(EmbeddedChannel()) && connections.count == 1)
    }

    @Test func aConnectionThatHasSaidNothingIsClosedForTheNextOne() throws {
        let connections = connections(10, handshakes: 2)
        let channels = (0..<4).map { _ in EmbeddedChannel() }
        for channel in channels { try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait() }
        for channel in channels.prefix(3) {
            #expect(connections.add(channel))
            channel.embeddedEventLoop.run()
        }
        channels[0].embeddedEventLoop.run()
        #expect(!channels[0].isActive && channels[1].isActive && channels[2].isActive && connections.count == 2)
        // Whoever has shaken hands is not closed.
        connections.finishHandshake(ObjectIdentifier(channels[1]))
        #expect(connections.add(channels[3]))
        #expect(channels.dropFirst().allSatisfy(\.isActive) && connections.count == 3)
    }

    @Test func connectionsAreTakenAgainAfterTheSystemHasRefusedOne() async throws {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        try await withListener(credential) { listener, _ in
            try await listener.channel.pipeline.containsHandler(type: AcceptBackoff.self).get()
            listener.channel.pipeline.fireErrorCaught(IOError(errnoCode: EMFILE, reason: "accept"))
            let connection = try await connect(to: listener, credential)
            await connection.close()
        }
    }

    @Test func aClosedConnectionMakesRoomForOneMore() throws {
        let connections = connections(1), first = EmbeddedChannel()
        #expect(connections.add(first) && !connections.add(EmbeddedChannel()))
        try first.close().wait()
        first.embeddedEventLoop.run()
        #expect(connections.count == 0 && connections.add(EmbeddedChannel()))
    }

    private func connection() throws -> (EmbeddedChannel, SMPConnection) {
        let channel = EmbeddedChannel()
        let connection = SMPConnection(
            channel: channel, handshake: TLSHandshake(sessionID: [], applicationProtocol: nil, peerChain: [], version: "TLSv1.3"))
        try channel.pipeline.syncOperations.addHandler(BlockHandler(connection))
        return (channel, connection)
    }

    private func written(_ channel: EmbeddedChannel) throws -> [UInt8] {
        var written: [UInt8] = []
        while let block = try channel.readOutbound(as: Bytes.self) { written.append(block[0]) }
        return written
    }

    @Test func blocksWrittenAtOnceLeaveBehindThoseHandedOverBefore() throws {
        let (channel, connection) = try connection()
        try connection.write([block(1), block(2)])
        try connection.writeAtOnce([block(3), block(4)])
        #expect(try written(channel) == [1, 2, 3, 4])
        try connection.write([block(5)])
        connection.flush()
        channel.embeddedEventLoop.run()
        #expect(try written(channel) == [5])
    }

    @Test func nothingIsWrittenAfterTheEnd() throws {
        let (channel, connection) = try connection()
        try connection.write([block(1)])
        channel.pipeline.fireErrorCaught(ConnectionError(.tlsFailed, "garbled"))
        channel.embeddedEventLoop.run()
        #expect(try written(channel) == [])
        #expect { try connection.write([block(2)]) } throws: { ($0 as? ConnectionError)?.code == .tlsFailed }
        #expect { try connection.writeAtOnce([block(2)]) } throws: { ($0 as? ConnectionError)?.code == .tlsFailed }
        #expect(connection.isWritable == false && connection.end?.code == .tlsFailed)
        channel.embeddedEventLoop.run()
        #expect(try written(channel) == [])
    }

    @Test(arguments: [0, 1, 16_383, 16_385]) func whatIsNoBlockIsRefusedWithTheBlocksBesideIt(_ size: Int) throws {
        let (channel, connection) = try connection()
        let blocks = [block(1), Bytes(repeating: 2, count: size)]
        #expect { try connection.write(blocks) } throws: { ($0 as? ConnectionError)?.code == .invalidBlock }
        #expect { try connection.writeAtOnce(blocks) } throws: { ($0 as? ConnectionError)?.code == .invalidBlock }
        channel.embeddedEventLoop.run()
        #expect(try written(channel) == [])
        try connection.write([block(3)])
        channel.embeddedEventLoop.run()
        #expect(try written(channel) == [3])
    }

    @Test(arguments: [true, false]) func whoeverWaitsUntilBlocksLeaveIsToldAlsoOfTheEnd(_ ends: Bool) async throws {
        let channel = NIOAsyncTestingChannel()
        let connection = try await channel.testingEventLoop.executeInContext {
            let connection = SMPConnection(
                channel: channel, handshake: TLSHandshake(sessionID: [], applicationProtocol: nil, peerChain: [], version: "TLSv1.3"))
            try channel.pipeline.syncOperations.addHandler(BlockHandler(connection))
            connection.writabilityChanged(false)
            return connection
        }
        #expect(!connection.isWritable)
        async let waiting: Void = connection.waitUntilWritable()
        try await channel.testingEventLoop.executeInContext {
            if ends { connection.ended(ConnectionError(.closed, "over")) } else { connection.writabilityChanged(true) }
        }
        await waiting
        #expect(connection.isWritable == !ends)
        await connection.waitUntilWritable()
    }
}
