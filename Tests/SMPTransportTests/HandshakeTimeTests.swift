import NIOCore
import NIOEmbedded
import Testing

@testable import SMPTransport

/// The time for the TLS handshake.
@Suite struct HandshakeTimeTests {
    private final class Outcomes {
        var codes: [ConnectionError.Code?] = []
    }

    private func handler(_ outcomes: Outcomes) -> HandshakeHandler<Int> {
        HandshakeHandler(timeout: .seconds(15), open: { _, _ in 1 }) { result in
            if case .failure(let error) = result { outcomes.codes.append(error.code) } else { outcomes.codes.append(nil) }
        }
    }

    @Test(arguments: [false, true])
    func itBeginsWhenTheConnectionIsThere(_ isAddedBefore: Bool) throws {
        let channel = EmbeddedChannel(), loop = channel.embeddedEventLoop, outcomes = Outcomes()
        if isAddedBefore { try channel.pipeline.syncOperations.addHandler(handler(outcomes)) }
        loop.advanceTime(by: .seconds(14))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        if !isAddedBefore { try channel.pipeline.syncOperations.addHandler(handler(outcomes)) }
        loop.advanceTime(by: .milliseconds(14_999))
        #expect(outcomes.codes.isEmpty)
        #expect(channel.isActive)
        loop.advanceTime(by: .milliseconds(1))
        #expect(outcomes.codes == [.timedOut])
        #expect(!channel.isActive)
    }

    @Test func aConnectionThatNeverComesIsReportedOnce() throws {
        let channel = EmbeddedChannel(), outcomes = Outcomes()
        try channel.pipeline.syncOperations.addHandler(handler(outcomes))
        _ = try? channel.close().wait()
        channel.embeddedEventLoop.advanceTime(by: .seconds(15))
        #expect(outcomes.codes == [.disconnected])
    }
}
