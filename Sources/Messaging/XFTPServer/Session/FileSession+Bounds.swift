import NIOCore
import NIOHTTP2
import RouterSupport
import SMPTransport
import Synchronization
import XFTPTransport

// What a connection may have done for it: requests at a time, and the pace of commands.

extension FileSession {
    // MARK: Requests at a time

    /// The number that a request is one of.
    enum Place {
        /// Of those of this connection before the end of its handshake.
        case handshake
        /// Of those of the router, and of the client's address.
        case router
    }

    /// Takes a request in; nil if there are as many as there may be.
    func begin() -> Place? {
        let isOpen = state.withLock { if case .open = $0.phase { true } else { false } }
        if isOpen {
            guard core.limits.begin(prefix) else {
                core.count(\.requestsRefused)
                return nil
            }
            state.withLock { $0.active += 1 }
            return .router
        }
        let isTaken = state.withLock { state in
            guard state.active < FileLimits.requestsBeforeHandshake, state.attempts < FileLimits.attemptsAtHandshake else { return false }
            state.active += 1
            state.attempts += 1
            return true
        }
        guard !isTaken else { return .handshake }
        // Nobody shakes hands so. What it has sent is freed with the connection.
        connection.beginClosing()
        return nil
    }

    func end(_ place: Place) {
        if case .router = place { core.limits.end(prefix) }
        state.withLock { state in
            state.active -= 1
            state.lastUsed = AddressLimits.uptime()
        }
    }

    /// Resets a request without reading it. Clients repeat what was reset.
    static func refuse(_ stream: HTTP2Stream) async { try? await stream.executeThenClose { _, _ in } }

    // MARK: Pauses

    /// Waits until the client may have a command executed, and counts the command.
    func awaitTurn() async throws {
        while true {
            let wait = state.withLock { $0.pace.wait(at: AddressLimits.uptime()) }
            if wait == 0 { break }
            try await Task.sleep(for: .nanoseconds(wait))
        }
        let pause = core.limits.pause(afterCommandOf: prefix)
        state.withLock { $0.pace.pause(pause, at: AddressLimits.uptime()) }
    }

    /// Counts failed key checks; later commands wait for it.
    func charge(_ failures: Int) {
        core.count(\.authorizationFailures)
        state.withLock { state in
            let pause = core.limits.pause(afterRefusals: failures, of: prefix, own: &state.pace.refusals)
            state.pace.pause(pause, at: AddressLimits.uptime())
        }
    }
}
