import Foundation
import Parley

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

    private func request() throws -> WebRequest {
        var request = WebRequest("POST", settings.endpoint.absoluteString)
        request.headers = ["Content-Type": "application/json", "Accept": "text/event-stream"]
        if let key = settings.key { request.headers["Authorization"] = "Bearer \(key)" }
        request.body = Array(
            try JSONEncoder().encode(Body(model: settings.model, messages: turns.map { Body.Message(role: $0.role.rawValue, content: $0.text) })))
        return request
    }

    /// The parts of the answer's text, in their order.
    ///
    /// - Returns: a stream that ends with an ``AssistantError`` if there is no whole answer. Who reads no more ends the request.
    func parts() -> AsyncThrowingStream<String, any Error> {
        let (stream, continuation) = AsyncThrowingStream<String, any Error>.makeStream()
        let reading = Task {
            do {
                try await read(into: continuation)
                continuation.finish()
            } catch {
                continuation.finish(throwing: Self.assistantError(error))
            }
        }
        continuation.onTermination = { _ in reading.cancel() }
        return stream
    }

    private func read(into continuation: AsyncThrowingStream<String, any Error>.Continuation) async throws {
        var limits = WebClient.Limits()
        limits.patience = settings.patience
        limits.duration = settings.limit
        // The parser ends a longer answer, and has shown what came before.
        limits.body = .max
        try await WebClient(limits: limits).withResponse(to: request()) { response, body in
            guard response.status == 200 else { throw AssistantError.status(response.status) }
            var parser = EventStreamParser(upTo: settings.longestStream)
            for try await bytes in body {
                let output = parser.take(bytes)
                for text in output.texts { continuation.yield(text) }
                if let failure = output.failure { throw failure }
                if output.isDone { return }
            }
        }
    }

    private static func assistantError(_ error: any Error) -> AssistantError {
        switch error {
        case let error as AssistantError: error
        case let error as WebError where error.code == .timeout: .timedOut
        case is WebError: .unreachable
        default: .malformed
        }
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
