internal import AsyncPrimitives
internal import Foundation
internal import Logging
internal import Parley
internal import SMPCrypto
internal import Synchronization

/// Delivers the webhooks of one bot: what rules have put into its queue, with pauses between attempts that grow, over restarts.
///
/// A delivery is stored with the progress of its event, and removed when the receiver has taken it. If the process ends in between, it is sent again under
/// the same id.
struct WebhookSender: Sendable {
    /// The timer that says that something was put into the queue: it is stored together with it.
    static let timer = "parley.rules.webhook"
    /// Requests of one bot at a time.
    static let parallelRequests = 4
    /// The delays between attempts to reach a store that fails.
    private static let storageDelays = DoublingDelay(from: .seconds(1), to: .seconds(60))
    /// Requests of all bots of the process at a time.
    private static let slots = AsyncSemaphore(limit: 16)

    let transport: any WebhookTransport
    let logger: Logger
    /// The addresses as the rules have them now, by their names.
    let endpoints: @Sendable () -> [String: WebhookSpec]
    private let storage: WebhookStorage
    private let changed = AsyncSignal()

    init(
        transport: any WebhookTransport, logger: Logger, storage: WebhookStorage = WebhookStorage(), endpoints: @escaping @Sendable () -> [String: WebhookSpec]
    ) {
        (self.transport, self.logger, self.storage, self.endpoints) = (transport, logger, storage, endpoints)
    }

    /// Says that something may be due.
    func wake() { changed.signal() }

    /// Puts a delivery into the queue, within the handler of the event.
    ///
    /// - Throws: ``RuleFailure`` if too many wait.
    static func enqueue(_ spec: WebhookSpec, _ context: RuleActionContext) async throws {
        guard !context.client.suppress("webhook", in: context.chat.reference) else { return }
        let now = context.client.now.timeIntervalSince1970, drawn = UUID().uuidString
        let seed = try await context.client.update(WebhookQueue.self) { queue in
            if queue.seed.isEmpty { queue.seed = drawn }
            return queue.seed
        }
        // Events that are reported once have no key.
        let key = context.idempotencyKey() ?? UUID().uuidString
        let hash = Hash.sha256(Array("\(seed)/\(context.client.bot.id)/\(key)".utf8))
        let id = "msg_" + hash.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let body = WebhookEvent.json(context, id: id, includesText: spec.includesText)
        let delivery = WebhookDelivery(id: id, endpoint: spec.endpoint, rule: context.rule, body: body, created: now, due: now)
        guard try await context.client.state(WebhookQueue.self).hasRoom(for: delivery) else { throw RuleFailure.tooManyWebhooks(spec.host) }
        try await context.client.update(WebhookQueue.self) { $0.add(delivery) }
        try await context.client.schedule(timer, key: id, at: context.client.now, id)
    }

    /// Delivers until the task is cancelled.
    func run(_ client: BotClient) async {
        // A dry run delivers nothing: the next ordinary run sends the waiting deliveries.
        guard !client.isDryRun else { return }
        // Most bots have none: nothing is read for them.
        if endpoints().isEmpty, (try? await changed.waitUnlessCancelled()) == nil { return }
        await withDiscardingTaskGroup { group in
            var running: Set<String> = []
            let ended = EndedDeliveries()
            var delays = Self.storageDelays
            while !Task.isCancelled {
                for id in ended.take() { running.remove(id) }
                let now = client.now.timeIntervalSince1970
                let waiting: [WebhookDelivery]
                do {
                    waiting = try await storage.read(client).deliveries.filter { !running.contains($0.id) }
                    delays.reset()
                } catch {
                    guard !Task.isCancelled else { return }
                    logger.error("webhooks cannot be read yet", metadata: ["code": "webhook.storage", "error": "\(error)"])
                    // New deliveries do not shorten the pause: they could not be read, either.
                    try? await client.sleep(delays.next())
                    continue
                }
                for delivery in waiting where delivery.due(at: now) <= now && running.count < Self.parallelRequests {
                    running.insert(delivery.id)
                    group.addTask {
                        await self.attempt(delivery, client)
                        ended.add(delivery.id)
                        changed.signal()
                    }
                }
                // A delivery that is due and found no place waits for one of those that run.
                let next = running.count < Self.parallelRequests ? waiting.lazy.filter { $0.due > now }.map(\.due).min() : nil
                await pause(until: next, client)
            }
        }
    }

    private func pause(until time: Double?, _ client: BotClient) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [changed] in try? await changed.waitUnlessCancelled() }
            if let time {
                group.addTask { try? await client.sleep(.seconds(max(0.01, time - client.now.timeIntervalSince1970))) }
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Makes one attempt, and stores what follows from it.
    private func attempt(_ delivery: WebhookDelivery, _ client: BotClient) async {
        var log = logger
        log[metadataKey: "rule"] = "\(delivery.rule)"
        log[metadataKey: "delivery"] = "\(delivery.id)"
        guard let spec = endpoints()[delivery.address] else {
            log.warning("a webhook is given up: no rule names its address any more", metadata: ["code": "webhook.gone"])
            client.noteFailure("webhook.gone", at: "\(delivery.rule): webhook")
            return await change(client, log) { $0.remove(delivery.id) }
        }
        log[metadataKey: "host"] = "\(spec.host)"
        let verdict: WebhookVerdict
        do {
            try await Self.slots.acquireUnlessCancelled()
            defer { Self.slots.release() }
            let response = try await transport.post(Self.request(delivery, spec, at: client.now))
            verdict = WebhookVerdict(status: response.status, retryAfter: response.retryAfter)
        } catch {
            // The end of the bot: the delivery stays, and is tried at the next start.
            guard !Task.isCancelled else { return }
            log.debug("no answer to a webhook", metadata: ["error": "\(error)"])
            verdict = .retry(after: 0)
        }
        switch verdict {
        case .delivered:
            await change(client, log) { $0.remove(delivery.id) }
        case .refused(let reason):
            log.error("a webhook is given up: \(reason)", metadata: ["code": "webhook.refused"])
            client.noteFailure("webhook.refused", at: "\(delivery.rule): webhook")
            await change(client, log) { $0.remove(delivery.id) }
        case .retry(let wish):
            guard let next = delivery.retried(at: client.now.timeIntervalSince1970, notBefore: wish) else {
                log.error("a webhook is given up: the receiver could not be reached for a day", metadata: ["code": "webhook.expired"])
                client.noteFailure("webhook.expired", at: "\(delivery.rule): webhook")
                return await change(client, log) { $0.remove(delivery.id) }
            }
            if delivery.attempts == 0 { log.warning("a webhook could not be delivered yet", metadata: ["code": "webhook.retry"]) }
            await change(client, log) { $0.replace(next) }
        }
    }

    /// Stores what follows from an attempt, as soon as that is possible: until then the delivery is not attempted again.
    private func change(_ client: BotClient, _ log: Logger, _ change: @escaping @Sendable (inout WebhookQueue) -> Void) async {
        var delays = Self.storageDelays
        while true {
            do {
                return try await storage.change(client, change)
            } catch {
                // The end of the bot: the delivery stays, and is sent again under the same id at the next start.
                guard !Task.isCancelled else { return }
                log.error("the end of a webhook cannot be stored yet", metadata: ["code": "webhook.storage", "error": "\(error)"])
                try? await client.sleep(delays.next())
            }
        }
    }

    static func request(_ delivery: WebhookDelivery, _ spec: WebhookSpec, at now: Date) -> WebhookRequest {
        let time = Int64(now.timeIntervalSince1970), body = Array(delivery.body.utf8)
        var headers = [
            "content-type": "application/json", "user-agent": "parley", WebhookSignature.idField: delivery.id, WebhookSignature.timeField: "\(time)",
        ]
        if let secret = spec.secret {
            headers[WebhookSignature.signatureField] = WebhookSignature.sign(id: delivery.id, time: time, body: body, secret: secret)
        }
        return WebhookRequest(url: spec.url, headers: headers, body: body)
    }
}

/// The queue of a bot as the sender reads and changes it.
struct WebhookStorage: Sendable {
    var read: @Sendable (BotClient) async throws -> WebhookQueue = { try await $0.state(WebhookQueue.self) }
    var change: @Sendable (BotClient, @escaping @Sendable (inout WebhookQueue) -> Void) async throws -> Void = { client, change in
        try await client.update(WebhookQueue.self, change)
    }
}

/// Deliveries whose attempt has ended.
private final class EndedDeliveries: Sendable {
    private let ids = Mutex<[String]>([])

    func add(_ id: String) { ids.withLock { $0.append(id) } }

    func take() -> [String] {
        ids.withLock { ids in
            defer { ids = [] }
            return ids
        }
    }
}

extension WebhookDelivery {
    /// The rule and the name of the address: the secret that signs belongs to both.
    var address: String { "\(rule) \(endpoint)" }
}

extension RuleSet {
    /// The addresses of webhooks, by their rules and names.
    var webhooks: [String: WebhookSpec] {
        var found: [String: WebhookSpec] = [:]
        for rule in rules {
            for spec in rule.then.compactMap({ ($0.value as? WebhookAction)?.webhook }) { found["\(rule.label) \(spec.endpoint)"] = spec }
        }
        return found
    }
}
