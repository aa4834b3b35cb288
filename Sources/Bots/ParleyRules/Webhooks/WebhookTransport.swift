internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// A request to a receiver of webhooks.
package struct WebhookRequest: Sendable, Hashable {
    /// The address.
    package var url: String
    /// Header fields.
    package var headers: [String: String]
    /// The body.
    package var body: [UInt8]
}

/// The answer of a receiver. Its body does not matter and is not read.
package struct WebhookResponse: Sendable, Hashable {
    /// The status.
    package var status: Int
    /// Seconds that the receiver asks to wait; 0 for none.
    package var retryAfter: Double

    package init(status: Int, retryAfter: Double = 0) { (self.status, self.retryAfter) = (status, retryAfter) }
}

/// The way of webhooks to their receivers.
package protocol WebhookTransport: Sendable {
    /// Posts a request.
    ///
    /// - Throws: any error if no answer came.
    func post(_ request: WebhookRequest) async throws -> WebhookResponse
}

/// Requests of Foundation: TLS is checked against the certificate authorities of the system.
///
/// A redirection is an answer, and not followed. Only the head of an answer is read; the body is cut off.
package final class URLSessionTransport: WebhookTransport {
    /// Seconds for the connection and the answer.
    private static let timeout = 15.0
    private let answers = AnswerHeads()
    private let session: URLSession

    /// One for the process: it keeps connections.
    package static let shared = URLSessionTransport()

    package init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = Self.timeout
        configuration.timeoutIntervalForResource = Self.timeout * 2
        session = URLSession(configuration: configuration, delegate: answers, delegateQueue: nil)
    }

    package func post(_ request: WebhookRequest) async throws -> WebhookResponse {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        var outgoing = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: Self.timeout)
        outgoing.httpMethod = "POST"
        outgoing.httpBody = Data(request.body)
        for (name, value) in request.headers { outgoing.setValue(value, forHTTPHeaderField: name) }
        let task = session.dataTask(with: outgoing)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                answers.wait(for: task, continuation)
                if Task.isCancelled { task.cancel() }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// The heads of answers, for those who wait for them.
private final class AnswerHeads: NSObject, URLSessionDataDelegate, Sendable {
    typealias Waiter = CheckedContinuation<WebhookResponse, any Error>
    private let waiters = Mutex<[Int: Waiter]>([:])
    /// Bytes of an answer that are read so that its connection can be used again.
    private static let shortAnswer: Int64 = 4_096

    func wait(for task: URLSessionTask, _ waiter: Waiter) { waiters.withLock { $0[task.taskIdentifier] = waiter } }

    private func end(_ task: URLSessionTask, _ result: Result<WebhookResponse, any Error>) {
        waiters.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.resume(with: result)
    }

    private static func answer(_ response: URLResponse) -> WebhookResponse? {
        guard let response = response as? HTTPURLResponse else { return nil }
        return WebhookResponse(status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap(Double.init) ?? 0)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
        if let answer = Self.answer(response) { end(task, .success(answer)) }
        task.cancel()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        guard let answer = Self.answer(response) else { return }
        end(dataTask, .success(answer))
        if response.expectedContentLength < 0 || response.expectedContentLength > Self.shortAnswer { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { return end(task, .failure(error)) }
        end(task, task.response.flatMap(Self.answer).map { .success($0) } ?? .failure(URLError(.badServerResponse)))
    }
}
