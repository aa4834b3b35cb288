import NIOCore
import NIOHTTP2
import RouterSupport
import SMPTransport
import Synchronization
import XFTPTransport

// The limits of a connection: simultaneous requests, and the pace of commands.

extension FileSession {
    // MARK: Requests at a time

    /// The count that a request belongs to.
    enum Place {
        /// The requests of this connection before the end of its handshake.
        case handshake
        /// The requests of the router, and of the client's address.
        case router
    }

    /// Admits a request; nil if the maximum is reached.
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
        // A handshake needs fewer requests. The bytes that the client has sent are freed with the connection.
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

    /// Resets a request without reading it. Clients repeat such requests.
    static func refuse(_ stream: HTTP2Stream) async { try? await stream.executeThenClose { _, _ in } }

    // MARK: Pauses

    /// Waits until a command of the client may be executed, and counts the command.
    func awaitTurn() async throws {
        while true {
            let wait = state.withLock { $0.pace.wait(at: AddressLimits.uptime()) }
            if wait == 0 { break }
            try await Task.sleep(for: .nanoseconds(wait))
        }
        let pause = core.limits.pause(afterCommandOf: prefix)
        state.withLock { $0.pace.pause(pause, at: AddressLimits.uptime()) }
    }

    /// Counts failed key checks, which delay later commands.
    func charge(_ failures: Int) {
        core.count(\.authorizationFailures)
        state.withLock { state in
            let pause = core.limits.pause(afterRefusals: failures, of: prefix, own: &state.pace.refusals)
            state.pace.pause(pause, at: AddressLimits.uptime())
        }
    }
}
