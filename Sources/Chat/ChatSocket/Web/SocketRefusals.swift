import ListenerSupport
import Logging
import NIOCore
import NIOHTTP1
import Synchronization

/// The log of refused clients: one record a minute at most, with the number of those before it.
final class SocketRefusals: Sendable {
    private static let rate = TokenBucket.Rate(1, in: .seconds(60))

    private struct State {
        var bucket = TokenBucket()
        var count = 0
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) { self.logger = logger }

    /// Notes a refusal. Only those that a person may look into are logged: a wrong or missing token, and pages of browsers.
    @Sendable func note(_ status: HTTPResponseStatus) {
        guard status == .unauthorized || status == .forbidden else { return }
        log(status == .unauthorized ? "a client of the API was refused: its token is missing or wrong" : "a page in a browser was refused at the API")
    }

    /// Notes a client that found no room.
    func noteFull(limit: Int) { log("a client of the API was refused: there are too many", metadata: ["limit": "\(limit)"]) }

    private func log(_ message: Logger.Message, metadata: Logger.Metadata = [:]) {
        let now = Int64(clamping: NIODeadline.now().uptimeNanoseconds)
        let count = state.withLock { state -> Int? in
            state.count += 1
            guard state.bucket.take(1, of: Self.rate, at: now) else { return nil }
            defer { state.count = 0 }
            return state.count
        }
        guard let count else { return }
        logger.warning(message, metadata: metadata.merging(["code": "api.refused", "count": "\(count)"]) { $1 })
    }
}
