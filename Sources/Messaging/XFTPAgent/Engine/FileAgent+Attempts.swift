import AsyncPrimitives
import Logging
import SMPClient
import SMPCrypto
import SMPProtocol
import XFTPClient
import XFTPProtocol

/// The end of a transfer for this process: a cancellation, or a kill that a test imitates.
struct TransferInterrupted: Error {}

extension FileAgent {
    /// Attempts an operation until it succeeds or fails permanently, with growing waits.
    ///
    /// - Parameters:
    ///   - created: the creation time of the transfer, whose lifetime is limited.
    ///   - warn: called with the error of the attempt number ``FileAgentConfiguration/attemptsBeforeWarning``.
    /// - Throws: ``XFTPClientError`` for a permanent failure; ``FileTransferError`` of the last failure after the lifetime; ``TransferInterrupted``.
    func attempt<Value: Sendable>(
        since created: Int64, warn: @Sendable (FileTransferError) async -> Void,
        _ body: @Sendable () async throws(XFTPClientError) -> Value
    ) async throws -> Value {
        var wait = configuration.retry.initial
        var waited = Duration.zero
        var failures = 0
        while true {
            if Task.isCancelled { throw TransferInterrupted() }
            let result: Result<Value, XFTPClientError>
            do {
                try await permits.acquireUnlessCancelled()
                do throws(XFTPClientError) { result = .success(try await body()) } catch { result = .failure(error) }
                permits.release()
            } catch {
                throw TransferInterrupted()
            }
            guard case .failure(let error) = result else { return try result.get() }
            if Task.isCancelled { throw TransferInterrupted() }
            // A change of the network's settings cancels attempts to connect; these are repeated.
            guard error.isTemporary || error.code == .cancelled else { throw error }
            failures += 1
            if failures == configuration.attemptsBeforeWarning { await warn(FileTransferError(error)) }
            guard now() - created < configuration.transferLifetime.components.seconds else { throw FileTransferError(error) }
            do { try await clock.sleep(for: jittered(wait)) } catch { throw TransferInterrupted() }
            waited += wait
            if waited >= configuration.retry.increaseAfter { wait = min(wait * 3 / 2, configuration.retry.maximum) }
        }
    }

    private func jittered(_ wait: Duration) -> Duration {
        let unit = Double(random.bytes(1).first ?? 128) / 255
        return wait * (1 + configuration.retry.jitter * (2 * unit - 1))
    }

    /// Passes a moment at which a test may end the transfer.
    func pass(_ moment: FileStep) throws {
        do { try step(moment) } catch { throw TransferInterrupted() }
    }

    /// Counts a request to a router and its outcome. A cancelled request has no outcome.
    func counted<Value: Sendable>(
        _ attempts: FileServerCounter, _ successes: FileServerCounter, _ failures: (XFTPClientError) -> FileServerCounter, _ router: FileServerKey,
        _ request: () async throws(XFTPClientError) -> Value
    ) async throws(XFTPClientError) -> Value {
        statistics.begin(attempts, router)
        defer { statistics.end(attempts, router) }
        do throws(XFTPClientError) {
            let value = try await request()
            statistics.add(successes, router)
            return value
        } catch {
            if error.code != .cancelled { statistics.add(failures(error), router) }
            throw error
        }
    }

    // MARK: Deletions

    /// Deletes chunks from their routers until none is left that can be deleted.
    func runDeletions() async {
        var wait = configuration.retry.initial
        while !Task.isCancelled {
            let records: [DeletionRecord]
            do {
                records = try await store.deletions()
                guard !records.isEmpty else { return }
            } catch {
                // The disk may work again later.
                logger.warning("deletions of chunks cannot be read", metadata: ["error": "\(error)"])
                records = []
            }
            for record in records {
                if Task.isCancelled { return }
                var isDone = now() - record.created > configuration.deletionLifetime.components.seconds
                if !isDone {
                    do throws(XFTPClientError) {
                        let router = FileServerKey(user: record.user, server: record.server)
                        try await counted(.deleteAttempts, .deletions, { _ in .deleteErrs }, router) { () throws(XFTPClientError) in
                            try await sessions.with(router) { session throws(XFTPClientError) in try await session.delete(record.id, key: record.key) }
                        }
                        isDone = true
                    } catch {
                        // A chunk that the router does not know counts as deleted.
                        isDone = !error.isTemporary && error.code != .cancelled
                    }
                }
                if isDone { try? await store.removeDeletion(record.number) }
            }
            do { try await clock.sleep(for: jittered(wait)) } catch { return }
            wait = min(wait * 3 / 2, configuration.retry.maximum)
        }
    }
}

extension FileTransferError {
    init(_ error: XFTPClientError) {
        switch error.code {
        case .protocol(.auth), .protocol(.noFile): self.init(.noFile, error.message, router: error.routerError)
        case .protocol, .response: self.init(.router, error.message, router: error.routerError)
        case .file: self.init(.file, error.message)
        case .visibleAddress: self.init(.notApproved, error.message)
        default: self.init(.network, error.message)
        }
    }
}

extension XFTPClientError {
    /// The router's own error, or the error of its answer.
    fileprivate var routerError: XFTPErrorType? {
        switch code {
        case .protocol(let error), .response(let error): error
        default: nil
        }
    }
}
