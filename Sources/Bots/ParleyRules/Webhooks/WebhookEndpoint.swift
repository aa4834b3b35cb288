internal import ChatAPI
internal import ChatProtocol
internal import Foundation
internal import HTTPEndpoint
package import Logging
internal import NIOHTTP1
package import Parley
internal import SMPCrypto
internal import Synchronization

/// `webhooks:` of a file: where other programs ask the bots to send.
public struct WebhooksSpec: Sendable, Hashable {
    /// The address of this machine; the loopback interface unless the file says otherwise.
    public let host: String
    /// The port.
    public let port: Int
    /// The token of requests; nil for none.
    let token: RuleSecret?
    /// The key of signatures of requests; nil for none.
    let secret: RuleSecret?

    /// Creates the value from its parts.
    package init(host: String = "127.0.0.1", port: Int, token: RuleSecret?, secret: RuleSecret?) {
        (self.host, self.port, self.token, self.secret) = (host, port, token, secret)
    }

    init?(_ reader: NodeReader) {
        guard let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.webhooks)
        let port = mapping.required("port", hint: "write the port that it listens on")?.integer(in: MonitoringSpec.ports)
        host = mapping.value("address")?.listenAddress() ?? "127.0.0.1"
        let tokenNode = mapping.value("token"), secretNode = mapping.value("secret")
        token = tokenNode.flatMap { RuleSecret($0) }
        secret = secretNode.flatMap { RuleSecret($0) }
        if tokenNode == nil, secretNode == nil {
            reader.report(.missingKey, "everybody could send with the bots", hint: "add token: { env: NAME } or secret: { env: NAME }")
            return nil
        }
        guard let port, tokenNode == nil || token != nil, secretNode == nil || secret != nil else { return nil }
        self.port = port
    }
}

/// A local endpoint at which other programs ask the bots to send: `POST /messages` with JSON.
package final class WebhookEndpoint: Sendable {
    /// The path of requests.
    static let path = "/messages"
    /// Bytes of a request's body at the most.
    static let largestBody = 64 * 1_024
    /// Connections at a time.
    static let connections = 16
    /// The maximum length of an idempotency key in bytes: the core accepts 200, including the prefix.
    static let longestKey = 180

    private let spec: WebhooksSpec
    private let logger: Logger
    private let clients = Mutex<[String: BotClient]?>(nil)
    private let server = Mutex<HTTPServer?>(nil)
    private let now: @Sendable () -> Double

    private init(_ spec: WebhooksSpec, logger: Logger, now: @escaping @Sendable () -> Double) { (self.spec, self.logger, self.now) = (spec, logger, now) }

    /// The port that it listens on.
    package var port: Int { server.withLock { $0?.port } ?? 0 }

    /// Starts to listen for the time of `body`, if there is an endpoint. Requests are refused until ``open(_:)``.
    ///
    /// - Throws: ``HostError`` `portInUse` or `router` if the address cannot be used; errors of the body.
    package static func serving(_ spec: WebhooksSpec?, logger: Logger, _ body: (WebhookEndpoint?) async throws -> Void) async throws {
        guard let spec else { return try await body(nil) }
        let endpoint = try await start(spec, logger: logger)
        do {
            try await body(endpoint)
            await endpoint.stop()
        } catch {
            await endpoint.stop()
            throw error
        }
    }

    /// - Parameter now: the time in seconds since 1970, for signatures.
    static func start(
        _ spec: WebhooksSpec, logger: Logger, now: @escaping @Sendable () -> Double = { Date().timeIntervalSince1970 }
    ) async throws(HostError) -> WebhookEndpoint {
        let endpoint = WebhookEndpoint(spec, logger: logger, now: now)
        var limits = HTTPServer.Limits()
        (limits.body, limits.connections) = (largestBody, connections)
        do {
            let server = try await HTTPServer.start(host: spec.host, port: spec.port, limits: limits, logger: logger) { await endpoint.answer($0) }
            endpoint.server.withLock { $0 = server }
        } catch {
            let isTaken = HTTPServer.isAddressInUse(error)
            throw HostError(
                isTaken ? .portInUse : .router,
                isTaken
                    ? "something else listens on \(spec.host):\(spec.port), the port of \"webhooks\""
                    : "the endpoint of \"webhooks\" cannot listen on \(spec.host):\(spec.port): \(error)")
        }
        logger.info("webhooks are taken", metadata: ["address": "\(spec.host):\(endpoint.port)"])
        return endpoint
    }

    /// Opens the endpoint to requests, once the bots have started.
    package func open(_ profiles: [HostReady.Profile]) { open(Dictionary(profiles.map { ($0.id, $0.client) }) { first, _ in first }) }

    func open(_ clients: [String: BotClient]) { self.clients.withLock { $0 = clients } }

    /// Stops to listen.
    package func stop() async { await server.withLock { $0.take() }?.stop() }

    // MARK: Requests

    /// A request that is not granted.
    private struct Refusal: Error {
        let status: HTTPResponseStatus
        let code: String
        let message: String

        init(_ status: HTTPResponseStatus, _ code: String, _ message: String) { (self.status, self.code, self.message) = (status, code, message) }
    }

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        do {
            return Self.json(.ok, try await send(request))
        } catch let refusal as Refusal {
            return Self.json(refusal.status, ["error": ["code": .string(refusal.code), "message": .string(refusal.message)]])
        } catch {
            let code = ErrorCode.of(error) ?? "webhook.failed"
            logger.warning("a message that a webhook asks for could not be sent", metadata: ["code": "\(code)", "error": "\(error)"])
            return Self.json(.badGateway, ["error": ["code": .string(code), "message": "the message could not be sent"]])
        }
    }

    private static func json(_ status: HTTPResponseStatus, _ value: JSONValue) -> HTTPResponse {
        .text(status, value.text + "\n", contentType: "application/json")
    }

    private func send(_ request: HTTPRequest) async throws -> JSONValue {
        guard request.path == Self.path else { throw Refusal(.notFound, "webhook.notFound", "there is only \(Self.path)") }
        guard request.method == .POST else { throw Refusal(.methodNotAllowed, "webhook.method", "use POST") }
        try authenticate(request)
        guard let clients = clients.withLock(\.self) else { throw Refusal(.serviceUnavailable, "webhook.notReady", "the bots have not started yet") }
        let message = try MessageRequest(request.body)
        guard let client = message.profile.map({ clients[$0] }) ?? (clients.count == 1 ? clients.values.first : nil) else {
            throw Refusal(
                .notFound, "webhook.profile",
                message.profile.map { "there is no profile \"\($0)\"" } ?? "there are several profiles: say which one with \"profile\"")
        }
        guard let chat = try await Self.chat(message.chat, of: client) else {
            throw Refusal(
                .notFound, "webhook.chat",
                "\(client.bot.id) knows nothing for certain under \"\(message.chat)\": it sends to trusted contacts, and to groups and channels that it declares"
            )
        }
        // A signed request that comes twice is one request.
        let key = message.key ?? (spec.secret == nil ? nil : request.headers.first(name: WebhookSignature.idField).map(Self.key))
        let sent: SentMessage
        do {
            sent = try await chat.announce(message.text, onceAs: key.map { "webhook/\($0)" })
        } catch {
            client.noteFailure(ErrorCode.of(error) ?? "webhook.failed", at: "webhooks: send")
            throw error
        }
        return ["item": .int(sent.id.rawValue)]
    }

    /// The chat of a request: the verified chat of a name, or the chat with the id. Ids are not chosen by others, and are not used again.
    private static func chat(_ name: String, of client: BotClient) async throws -> BotChat? {
        if let chat = try await client.destination(name) { return chat }
        guard let reference = ChatReference(name) else { return nil }
        return await client.chat(reference)
    }

    /// The key of a request by its id: a long id is replaced by its hash.
    private static func key(of id: String) -> String {
        id.utf8.count <= longestKey ? id : Data(Hash.sha256(Array(id.utf8))).base64EncodedString()
    }

    private func authenticate(_ request: HTTPRequest) throws(Refusal) {
        if let token = spec.token, let given = request.headers.first(name: "authorization"), given.lowercased().hasPrefix("bearer "),
            // White space at the end of a field is no part of its value.
            WebhookSignature.isEqual(String(given.dropFirst("bearer ".count).trimmed), token.text)
        {
            return
        }
        if let secret = spec.secret, let id = request.headers.first(name: WebhookSignature.idField),
            let time = request.headers.first(name: WebhookSignature.timeField).flatMap({ Int64($0) }),
            let signature = request.headers.first(name: WebhookSignature.signatureField),
            WebhookSignature.isValid(signature, id: id, time: time, body: request.body, secret: secret, at: now())
        {
            return
        }
        throw Refusal(.unauthorized, "webhook.unauthorized", "the token or the signature is missing or wrong")
    }

    /// The JSON of a request.
    private struct MessageRequest {
        let profile: String?
        let chat: String
        let text: String
        let key: String?

        init(_ body: [UInt8]) throws(Refusal) {
            // Some programs begin a text with the mark of its encoding.
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            guard let text = String(validating: body.starts(with: mark) ? body.dropFirst(mark.count) : body[...], as: UTF8.self),
                let object = (try? JSONValue(parsing: text))?.objectValue
            else {
                throw Refusal(.badRequest, "webhook.json", "the body is not a JSON object")
            }
            let known = ["profile", "to", "text", "key"]
            if let other = object.members.first(where: { !known.contains($0.key) }) {
                throw Refusal(.badRequest, "webhook.key", "there is no key \"\(other.key.prefix(40))\": " + Spelling.hint(for: other.key, among: known))
            }
            func string(_ key: String) throws(Refusal) -> String? {
                guard let value = object.members.first(where: { $0.key == key })?.value, value != .null else { return nil }
                guard let text = value.stringValue, !text.isEmpty else {
                    throw Refusal(.badRequest, "webhook.value", "\"\(key)\" must be a text that is not empty")
                }
                return text
            }
            profile = try string("profile")
            key = try string("key")
            guard let chat = try string("to"), let content = try string("text") else {
                throw Refusal(.badRequest, "webhook.missing", "\"to\" names a chat, and \"text\" is the message: both are needed")
            }
            if let key, key.utf8.count > WebhookEndpoint.longestKey {
                throw Refusal(.badRequest, "webhook.value", "\"key\" has at most \(WebhookEndpoint.longestKey) bytes")
            }
            guard !content.showsNothing else { throw Refusal(.badRequest, "send.empty", "nothing of \"text\" would be shown: give a text that can be seen") }
            (self.chat, self.text) = (chat, content)
        }
    }
}
