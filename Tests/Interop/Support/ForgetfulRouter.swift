import Foundation
import OfficialPeers
import ProcessSupport
import RouterSupport
import SMPServer
import SMPWire
import TestSupport

/// A router whose messages can be made to expire.
protocol ForgetfulRouter: Router {
    /// Returns when all messages that wait in it have expired.
    func forgetMessages() async throws
}

extension OfficialRouter: ForgetfulRouter {
    /// It counts whole days, and looks at its start: what it has saved at its end is made older in between.
    func forgetMessages() async throws {
        await stop(.interrupt)
        let month: Int64 = 30 * 86_400
        let lines = try String(contentsOfFile: messagesFile, encoding: .utf8).split(separator: "\n").map { line in
            // Version, queue, message, time in seconds, flags, body.
            var fields = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            guard fields.count > 3, let time = Int64(fields[3]) else {
                throw PeerError(.refused, "a line of saved messages cannot be read: \(line.prefix(120))")
            }
            fields[3] = "\(time - month)"
            return fields.joined(separator: " ") + "\n"
        }
        guard lines.count >= 2 else { throw PeerError(.refused, "\(lines.count) messages were saved") }
        try lines.joined().write(toFile: messagesFile, atomically: true, encoding: .utf8)
        try await start()
    }
}

/// Parley's router inside this process, which keeps messages for ten minutes by a clock that is advanced.
final class InnerRouter: ForgetfulRouter {
    let address: String
    private let router: SMPRouter
    private let clock = TestClock(RouterClock.now())

    init() async throws {
        var configuration = RouterConfiguration(storage: .memory)
        configuration.port = 0
        configuration.messageLifetime = .seconds(600)
        router = try await SMPRouter.start(configuration, now: { [clock] in clock.now })
        address = router.address.wireString
    }

    func run() async throws { throw PeerError(.launch, "a router in this process runs from its beginning to its end") }
    func end(_: ProcessSignal) async { await router.stop() }

    func finish() async throws -> RouterCounts {
        let counters = router.statistics.counters
        await router.stop()
        return RouterCounts(
            relayed: Int(counters.commandsRelayed), received: Int(counters.commandsForwarded), overQuota: Int(counters.messagesOverQuota),
            ofServices: 0)
    }

    func forgetMessages() async throws {
        // No further than a clock may be off without being doubted.
        clock.advance(1_800)
        await router.expire()
        guard router.statistics.counters.messagesExpired >= 2 else { throw PeerError(.refused, "messages went, and have not expired") }
    }
}
