import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request to the endpoint, whose answer is read while it is written.
struct ChatCompletion: Sendable {
    private let settings: AssistantSettings
    private let turns: [AssistantTurn]

    init(_ settings: AssistantSettings, _ turns: [AssistantTurn]) {
        self.settings = settings
        self.turns = [AssistantTurn(role: .system, text: settings.instruction)] + turns
    }

    private struct Body: Encodable {
        struct Message: Encodable {
            let role: String
            let content: String
        }

        let model: String
        let messages: [Message]
        let stream = true
    }

    private func request() throws -> URLRequest {
        var request = URLRequest(url: settings.endpoint)
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        if let key = settings.key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
        request.httpBody = try JSONEncoder().encode(
            Body(model: settings.model, messages: turns.map { Body.Message(role: $0.role.rawValue, content: $0.text) }))
        return request
    }

    /// The parts of the answer's text, in their order.
    ///
    /// - Returns: a stream that ends with an ``AssistantError`` if there is no whole answer. Who reads no more ends the request.
    func parts() -> AsyncThrowingStream<String, any Error> {
        let (stream, continuation) = AsyncThrowingStream<String, any Error>.makeStream()
        let transfer = StreamingTransfer(continuation, upTo: settings.longestStream)
        continuation.onTermination = { _ in transfer.cancel() }
        do {
            transfer.start(try request(), patience: settings.patience, limit: settings.limit)
        } catch {
            continuation.finish(throwing: AssistantError.malformed)
        }
        return stream
    }
}

/// Feeds what a server sends to a parser, chunk by chunk.
private final class StreamingTransfer: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var parser: EventStreamParser
        var session: URLSession?
        var watchdog: Task<Void, Never>?
        var lastChunk = ContinuousClock.now
        var isOver = false
    }

    private let continuation: AsyncThrowingStream<String, any Error>.Continuation
    private let state: Mutex<State>

    /// - Parameter longest: bytes of an answer at the most.
    init(_ continuation: AsyncThrowingStream<String, any Error>.Continuation, upTo longest: Int) {
        self.continuation = continuation
        state = Mutex(State(parser: EventStreamParser(upTo: longest)))
    }

    func start(_ request: URLRequest, patience: Duration, limit: Duration) {
        let configuration = URLSessionConfiguration.ephemeral
        // The watchdog measures the waits. A session ends by itself only if that is late.
        configuration.timeoutIntervalForRequest = Double(limit.components.seconds) + 60
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        let watchdog = Task { [weak self] in
            let end = ContinuousClock.now + limit
            while !Task.isCancelled {
                guard let self else { return }
                let next = min(self.state.withLock(\.lastChunk) + patience, end)
                if next <= .now { return self.finish(throwing: .timedOut) }
                do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
            }
        }
        let isOver = state.withLock { state in
            if !state.isOver { (state.session, state.watchdog) = (session, watchdog) }
            return state.isOver
        }
        guard !isOver else {
            watchdog.cancel()
            return session.invalidateAndCancel()
        }
        session.dataTask(with: request).resume()
    }

    func cancel() { finish(throwing: nil) }

    /// The first call decides how the answer ends: a transfer that is cancelled reports an error as well.
    private func finish(throwing error: AssistantError?) {
        let open = state.withLock { state -> (session: URLSession?, watchdog: Task<Void, Never>?)? in
            guard !state.isOver else { return nil }
            defer { (state.session, state.watchdog, state.isOver) = (nil, nil, true) }
            return (state.session, state.watchdog)
        }
        guard let open else { return }
        continuation.finish(throwing: error)
        open.watchdog?.cancel()
        open.session?.invalidateAndCancel()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            completionHandler(.cancel)
            return finish(throwing: .status(status))
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        // In slices: what a slice brings is shown while the rest is read, and a reader who has enough ends it.
        var rest = data[...]
        while !rest.isEmpty, take(rest.prefix(Self.slice)) { rest = rest.dropFirst(Self.slice) }
    }

    /// Bytes that are read at once.
    private static let slice = 4_096

    /// - Returns: false if the answer is over.
    private func take(_ bytes: Data) -> Bool {
        let output = state.withLock { state -> EventStreamParser.Output? in
            guard !state.isOver else { return nil }
            state.lastChunk = .now
            return state.parser.take(bytes)
        }
        guard let output else { return false }
        for text in output.texts { continuation.yield(text) }
        if output.isDone { finish(throwing: output.failure) }
        return !output.isDone
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if (error as? URLError)?.code == .timedOut { return finish(throwing: .timedOut) }
        finish(throwing: error == nil ? nil : .unreachable)
    }
}

/// Reads the events of a stream of server-sent events, as far as they have come. A value without I/O.
struct EventStreamParser: Sendable {
    /// Bytes of a line at the most.
    static let longestLine = 256 * 1024
    struct Output: Sendable, Hashable {
        var texts: [String] = []
        /// True if nothing more is read: the server has said that the answer is complete, or there is a failure.
        var isDone = false
        /// The reason why nothing more is read; nil for a complete answer. The texts came before it.
        var failure: AssistantError?
    }

    /// Bytes of an answer at the most, with everything around its text.
    let longest: Int
    private var line: [UInt8] = []
    private var count = 0
    private var isDone = false

    /// - Parameter longest: bytes of an answer at the most, with everything around its text.
    init(upTo longest: Int) { self.longest = longest }

    /// Takes the next bytes.
    ///
    /// Failures are ``AssistantError/malformed`` for lines that are too long, bytes that are no UTF-8, and data that is no JSON, and
    /// ``AssistantError/tooLong`` for a stream that does not end.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Output {
        var output = Output()
        do throws(AssistantError) {
            try read(bytes, &output)
        } catch {
            isDone = true
            output.failure = error
        }
        output.isDone = isDone
        return output
    }

    private mutating func read(_ bytes: some Sequence<UInt8>, _ output: inout Output) throws(AssistantError) {
        for byte in bytes {
            guard !isDone else { break }
            count += 1
            guard count <= longest else { throw .tooLong }
            guard byte == 0x0A || byte == 0x0D else {
                guard line.count < Self.longestLine else { throw .malformed }
                line.append(byte)
                continue
            }
            if let text = try read(line), !text.isEmpty { output.texts.append(text) }
            line.removeAll(keepingCapacity: true)
        }
    }

    /// The text that a line brings; nil for lines that bring none.
    private mutating func read(_ line: [UInt8]) throws(AssistantError) -> String? {
        let field = Array("data:".utf8)
        guard line.starts(with: field) else { return nil }
        guard let data = String(validating: line.dropFirst(field.count), as: UTF8.self)?.trimmingCharacters(in: .whitespaces) else { throw .malformed }
        guard data != "[DONE]" else {
            isDone = true
            return nil
        }
        guard let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(data.utf8)) else { throw .malformed }
        return chunk.choices.first?.delta?.content
    }

    private struct Chunk: Decodable {
        struct Choice: Decodable {
            struct Delta: Decodable { let content: String? }
            let delta: Delta?
        }

        let choices: [Choice]
    }
}
