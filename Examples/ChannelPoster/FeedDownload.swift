import Foundation
import FoundationNetworking
import Synchronization

/// A download that ends at a limit, however much the server sends.
final class FeedDownload: NSObject, URLSessionDataDelegate, Sendable {
    static let schemes: Set<String> = ["https", "http"]
    /// The longest wait for more of an answer, and for all of it, in seconds.
    private static let patience = 30.0, longestDownload = 120.0
    private static let redirectLimit = 5

    private struct State {
        var document = Data()
        var redirects = 0
        var failure: FeedError?
        var isOver = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let limit: Int
    private let state = Mutex(State())

    private init(limit: Int) { self.limit = limit }

    /// Downloads a document.
    ///
    /// - Parameter limit: the largest size, in bytes.
    static func document(at url: URL, limit: Int) async throws(FeedError) -> Data {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = patience
        configuration.timeoutIntervalForResource = longestDownload
        let download = FeedDownload(limit: limit)
        let session = URLSession(configuration: configuration, delegate: download, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: url)
        request.setValue("application/rss+xml, application/atom+xml, application/xml;q=0.9", forHTTPHeaderField: "Accept")
        let task = session.dataTask(with: request)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                download.wait(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return try download.result()
    }

    private func wait(_ continuation: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            if !state.isOver { state.waiting = continuation }
            return state.isOver
        }
        if isOver { continuation.resume() }
    }

    private func result() throws(FeedError) -> Data {
        let (document, failure) = state.withLock { ($0.document, $0.failure) }
        if let failure { throw failure }
        return document
    }

    private func fail(_ error: FeedError) { state.withLock { $0.failure = $0.failure ?? error } }

    // MARK: URLSessionDataDelegate

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let redirects = state.withLock { state in
            state.redirects += 1
            return state.redirects
        }
        // A server does not lead to files of this machine.
        guard redirects <= Self.redirectLimit, Self.schemes.contains(request.url?.scheme?.lowercased() ?? "") else {
            fail(.status(response.statusCode))
            return completionHandler(nil)
        }
        completionHandler(request)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status != 200 { fail(.status(status)) }
        completionHandler(status == 200 ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let fits = state.withLock { state in
            guard state.failure == nil, data.count <= limit - state.document.count else { return false }
            state.document.append(data)
            return true
        }
        guard !fits else { return }
        fail(.tooLarge(limit: limit))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let waiting = state.withLock { state in
            if let error { state.failure = state.failure ?? .notReached(error.localizedDescription) }
            state.isOver = true
            return state.waiting.take()
        }
        waiting?.resume()
    }
}
