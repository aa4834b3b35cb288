import NIOCore
import Synchronization

/// The connections of a server: at most so many at a time, which it can close together.
///
/// A connection that has not become a session yet gives its place to a new one, the oldest first, so that those who ask for nothing keep nobody out.
final class OpenSessions: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// The connections that are no sessions yet, in the order of their arrival.
        var arriving: [ObjectIdentifier] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = limit }

    /// Takes a connection in, until it ends.
    ///
    /// - Parameter isArriving: false if it is a session already.
    /// - Returns: false if there are as many as there may be.
    func admit(_ channel: any Channel, isArriving: Bool = false) -> Bool {
        let (isAdmitted, replaced) = state.withLock { state -> (Bool, (any Channel)?) in
            var replaced: (any Channel)?
            if state.channels.count >= limit {
                guard !state.arriving.isEmpty else { return (false, nil) }
                replaced = state.channels.removeValue(forKey: state.arriving.removeFirst())
            }
            state.channels[ObjectIdentifier(channel)] = channel
            if isArriving { state.arriving.append(ObjectIdentifier(channel)) }
            return (true, replaced)
        }
        replaced?.close(promise: nil)
        guard isAdmitted else { return false }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(channel) }
        return true
    }

    /// Notes that a connection has become a session: it keeps its place.
    func keep(_ channel: any Channel) { state.withLock { $0.arriving.removeAll { $0 == ObjectIdentifier(channel) } } }

    private func remove(_ channel: any Channel) {
        state.withLock { state in
            state.arriving.removeAll { $0 == ObjectIdentifier(channel) }
            // Another one may have its address by now, if this one was replaced.
            guard state.channels[ObjectIdentifier(channel)] === channel else { return }
            state.channels[ObjectIdentifier(channel)] = nil
        }
    }

    func closeAll() async {
        for channel in state.withLock({ Array($0.channels.values) }) { try? await channel.close() }
    }
}
