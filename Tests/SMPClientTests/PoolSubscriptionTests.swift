import SMPCrypto
import SMPProtocol
import SMPTransport
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPClient

@Suite("The pool of sessions: subscriptions")
struct PoolSubscriptionTests {
    @Test("Queues are subscribed to in few blocks, and their messages become events")
    func subscribing() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            let results = await client.pool.subscribe(client.subscriptions(1...100), over: client.session)
            #expect(results.map(code) == Array(repeating: nil, count: 100))
            #expect(router.blockCount <= 2)
            #expect(await events.next() == "connected")
            router.clients.first?.push([(queueID(3), .none, message(1)), (queueID(4), .none, message(2))])
            #expect(await events.next() == "message 3 1")
            #expect(await events.next() == "message 4 2")
        }
    }

    @Test("A message that is the response to SUB is one event, and the result is OK")
    func messageAsResponse() async throws {
        try await withRouter({ command, router in
            guard case .success(let sent) = command.message else { return .err(.block) }
            return sent == .sub ? message(7) : .ok
        }) { router, client in
            let events = EventReader(client.pool)
            let results = await client.pool.subscribe(client.subscriptions(1...1), over: client.session)
            #expect(results.map { try? $0.get() } == [.ok])
            #expect(await events.next() == "connected")
            #expect(await events.next() == "message 1 7")
            // The response to ACK is the next message, or OK.
            let acknowledge = SMPRequest(
                entity: queueID(1), command: .ack(MessageID(Bytes(repeating: 7, count: 24))), authKey: client.key())
            router.setScript { _, _ in message(8) }
            let answer = try await client.pool.send(acknowledge, over: client.session)
            #expect(answer == .ok)
            #expect(await events.next() == "message 1 8")
        }
    }

    @Test("After a lost connection the queues are subscribed to again without being asked")
    func resubscribing() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            let subscriptions = client.subscriptions(1...3)
            _ = await client.pool.subscribe(subscriptions, over: client.session)
            #expect(await events.next() == "connected")
            // Long enough for the connection to count as one that held.
            client.clock.advance(by: .seconds(20))
            for round in 2...4 {
                router.dropAll()
                #expect(await events.next() == "disconnected 1,2,3")
                #expect(await events.next() == "connected")
                #expect(await events.next() == "subscribed 1,2,3")
                #expect(router.clients.count == round)
                client.clock.advance(by: .seconds(20))
            }
            let last = router.commands.suffix(3)
            for subscription in subscriptions {
                let command = last.first { $0.entity == subscription.queue }
                #expect(command.map { router.clients[3].isAuthorized($0, by: subscription.authKey.publicKey) } == true)
            }
        }
    }

    @Test("A router that drops connections at once is asked again with pauses only")
    func droppingRouter() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            _ = await client.pool.subscribe(client.subscriptions(1...1), over: client.session)
            #expect(await events.next() == "connected")
            router.setGreeting(.hangUp)
            router.dropAll()
            #expect(await events.next() == "disconnected 1")
            for expected in [2, 2, 2, 2, 2, 3] as [Int] {
                await client.clock.waitForSleeper(.seconds(expected) ... .seconds(expected))
                client.clock.advance(by: .seconds(expected))
            }
            await client.clock.waitForSleeper(.milliseconds(4_500) ... .milliseconds(4_500))
            router.setGreeting(.handshake)
            client.clock.advance(by: .milliseconds(4_500))
            #expect(await events.next() == "connected")
            #expect(await events.next() == "subscribed 1")
        }
    }

    @Test("A command that connects in the meantime ends the pause")
    func wakingUp() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            _ = await client.pool.subscribe(client.subscriptions(1...1), over: client.session)
            router.dropAll()
            #expect(await events.next() == "connected")
            #expect(await events.next() == "disconnected 1")
            await client.clock.waitForSleeper(.seconds(2) ... .seconds(2))
            let answer = try await client.ping()
            #expect(answer == .pong)
            #expect(await events.next() == "connected")
            #expect(await events.next() == "subscribed 1")
        }
    }

    @Test("What cannot be subscribed to now is remembered, and is subscribed to when the router is back")
    func routerDown() async throws {
        let credential = try ServerCredential.generate(algorithm: .ed25519)
        let first = try await ScriptedRouter(credential: credential)
        let address = first.address
        await first.stop()
        let client = try Client(address)
        let events = EventReader(client.pool)
        let results = await client.pool.subscribe(client.subscriptions(1...2), over: client.session)
        for result in results {
            guard case .failure(let error) = result else {
                Issue.record("subscribed to nobody")
                continue
            }
            #expect(error.isTemporary)
        }
        await client.clock.waitForSleeper(.seconds(2) ... .seconds(2))
        let router = try await ScriptedRouter(credential: credential, port: Int(address.port ?? 0))
        client.clock.advance(by: .seconds(2))
        #expect(await events.next() == "connected")
        #expect(await events.next() == "subscribed 1,2")
        await client.pool.close()
        await router.stop()
    }

    @Test("A queue that the router refuses is forgotten, and the others are not")
    func refusedQueue() async throws {
        let refuses: ScriptedRouter.Script = { command, _ in
            guard case .success(.sub) = command.message else { return .ok }
            return command.entity == queueID(2) ? .err(.auth) : .ok
        }
        try await withRouter(refuses) { router, client in
            let events = EventReader(client.pool)
            let results = await client.pool.subscribe(client.subscriptions(1...3), over: client.session)
            #expect(results.map(code) == [nil, .protocol(.auth), nil])
            client.clock.advance(by: .seconds(20))
            router.dropAll()
            #expect(await events.next() == "connected")
            #expect(await events.next() == "disconnected 1,3")
            #expect(await events.next() == "connected")
            #expect(await events.next() == "subscribed 1,3")
        }
    }

    @Test("A queue that is refused when it is subscribed to again is reported and forgotten")
    func refusedLater() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            _ = await client.pool.subscribe(client.subscriptions(1...2), over: client.session)
            client.clock.advance(by: .seconds(20))
            router.setScript { command, _ in command.entity == queueID(1) ? .err(.auth) : .ok }
            router.dropAll()
            #expect(await events.next() == "connected")
            #expect(await events.next() == "disconnected 1,2")
            #expect(await events.next() == "connected")
            #expect(await events.next() == "failed 1 protocol")
            #expect(await events.next() == "subscribed 2")
        }
    }

    @Test("A subscription that got no answer is made again after a pause; one that was answered late is news at once")
    func unanswered() async throws {
        try await withRouter({ command, _ in command.entity == queueID(2) ? nil : .ok }) { router, client in
            let events = EventReader(client.pool)
            _ = await client.pool.subscribe(client.subscriptions(1...1), over: client.session)
            #expect(await events.next() == "connected")
            async let results = client.pool.subscribe(client.subscriptions(2...2), over: client.session)
            await router.waitForCommands(2)
            await client.clock.waitForSleeper(.seconds(30) ... .seconds(30))
            client.clock.advance(by: .seconds(30))
            #expect(await results.map(code) == [.timeout])
            let late = try #require(router.commands.first { $0.entity == queueID(2) })
            router.clients.first?.push(.ok, to: queueID(2), answering: late.correlationID)
            #expect(await events.next() == "subscribed 2")

            router.clients.first?.push(.end, to: queueID(1))
            #expect(await events.next() == "ended 1")
        }
    }

    @Test("A queue that another connection took over, or that was deleted, is not subscribed to again")
    func endedQueues() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            _ = await client.pool.subscribe(client.subscriptions(1...6), over: client.session)
            #expect(await events.next() == "connected")
            router.clients.first?.push(.end, to: queueID(1))
            router.clients.first?.push(.deld, to: queueID(2))
            #expect(await events.next() == "ended 1")
            #expect(await events.next() == "deleted 2")
            await client.pool.unsubscribe([queueID(3), queueID(99)], over: client.session)
            for (number, command) in [(4, .off), (5, .del)] as [(UInt8, SMPCommand)] {
                let request = SMPRequest(entity: queueID(number), command: command, authKey: client.key())
                _ = try await client.pool.send(request, over: client.session)
            }
            client.clock.advance(by: .seconds(20))
            router.dropAll()
            #expect(await events.next() == "disconnected 6")
            #expect(await events.next() == "connected")
            #expect(await events.next() == "subscribed 6")
        }
    }

    @Test("A queue that was created with a subscription is subscribed to again with the key that created it")
    func createdQueue() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            let encryption = X25519.generateKeyPair(client.random).publicKey
            for (mode, key) in [(SubscriptionMode.subscribe, client.key()), (.onlyCreate, client.key())] {
                let new = NewQueueRequest(recipientKey: key.publicKey, encryptionKey: encryption, subscription: mode)
                let answer = try await client.pool.send(SMPRequest(command: .new(new), authKey: key), over: client.session)
                guard case .ids = answer else {
                    Issue.record("no ids")
                    return
                }
            }
            #expect(await events.next() == "connected")
            client.clock.advance(by: .seconds(20))
            router.dropAll()
            #expect(await events.next() == "disconnected 1")
            #expect(await events.next() == "connected")
            #expect(await events.next() == "subscribed 1")
            #expect(router.commands.last?.entity == queueID(1))
        }
    }

    @Test("More queues than one go takes are subscribed to in several")
    func manyQueues() async throws {
        try await withRouter(ScriptedRouter.obliging) { configuration in
            configuration.subscriptionBatch = 10
        } _: { router, client in
            let events = EventReader(client.pool)
            let results = await client.pool.subscribe(client.subscriptions(1...35), over: client.session)
            #expect(results.allSatisfy { code($0) == nil })
            client.clock.advance(by: .seconds(20))
            router.dropAll()
            #expect(await events.next() == "connected")
            _ = await events.next()
            #expect(await events.next() == "connected")
            var again = 0
            while again < 35 {
                let event = await events.next()
                again += event.split(separator: ",").count
            }
            #expect(again == 35)
            #expect(router.commands.count == 70)
        }
    }

    @Test("A connection with subscriptions that falls silent is probed")
    func probing() async throws {
        try await withRouter { router, client in
            _ = await client.pool.subscribe(client.subscriptions(1...1), over: client.session)
            // The wait for the answered command ends first.
            await client.clock.waitForSleeper(.seconds(30) ... .seconds(30))
            client.clock.advance(by: .seconds(30))
            await client.clock.waitForSleeper(.seconds(570) ... .seconds(570))
            client.clock.advance(by: .seconds(570))
            await router.waitForCommands(2)
            #expect(router.commands.last.map { (try? $0.message.get()) == .ping } == true)
        }
    }

    @Test("Closing while a router is being asked again ends the asking")
    func closingWhileRetrying() async throws {
        try await withRouter { router, client in
            let events = EventReader(client.pool)
            _ = await client.pool.subscribe(client.subscriptions(1...1), over: client.session)
            router.setGreeting(.hangUp)
            router.dropAll()
            await client.clock.waitForSleeper(.seconds(2) ... .seconds(2))
            await client.pool.close()
            client.clock.advance(by: .seconds(10))
            #expect(await events.next() == "connected")
            #expect(await events.next() == "disconnected 1")
            #expect(await events.next() == "finished")
            #expect(router.clients.count == 1)
        }
    }
}

@Suite("The table of subscriptions")
struct SubscriptionTableTests {
    private func subscription(_ number: UInt8) -> QueueSubscription {
        QueueSubscription(
            queue: queueID(number), authKey: .x25519(X25519.generateKeyPair(SeededRandomSource(seed: 1)).privateKey))
    }

    private let temporary = SMPClientError(.timeout, "")
    private let final = SMPClientError(.protocol(.auth), "")

    @Test("A queue is handed out to one at a time")
    func handingOut() {
        var table = SubscriptionTable()
        table.begin([subscription(1)])
        #expect(!table.hasWanted)
        let step1 = table.takeWanted(atMost: 10)
        #expect(step1.isEmpty)
        let step2 = table.finish(queueID(1), temporary, in: 1, current: 1)
        #expect(step2 == .wanted)
        let step3 = table.takeWanted(atMost: 10)
        #expect(step3.count == 1)
        let step4 = table.takeWanted(atMost: 10)
        #expect(step4.isEmpty)
        let step5 = table.finish(queueID(1), nil, in: 1, current: 1)
        #expect(step5 == .active)
        #expect(!table.hasWanted)
    }

    @Test("What a connection answered counts only while it is the present one")
    func staleAnswers() {
        var table = SubscriptionTable()
        table.begin([subscription(1)])
        let step6 = table.finish(queueID(1), nil, in: 1, current: 2)
        #expect(step6 == .wanted)
        _ = table.takeWanted(atMost: 1)
        let step7 = table.finish(queueID(1), nil, in: 2, current: 2)
        #expect(step7 == .active)
        let step8 = table.disconnect(1)
        #expect(step8.isEmpty)
        let step9 = table.disconnect(2)
        #expect(step9 == [queueID(1)])
        #expect(table.hasWanted)
    }

    @Test("A queue that was forgotten stays forgotten, whatever is heard of it")
    func forgetting() {
        var table = SubscriptionTable()
        table.begin([subscription(1), subscription(2)])
        let forgets = [table.forget(queueID(1)), table.forget(queueID(1))]
        #expect(forgets == [true, false])
        let late = table.finish(queueID(1), nil, in: 1, current: 1)
        #expect(late == .forgotten)
        let isNews = table.confirm(queueID(1), in: 1)
        #expect(!isNews)
        let refused = table.finish(queueID(2), final, in: 1, current: 1)
        #expect(refused == .forgotten)
        #expect(table.count == 0)
        #expect(!table.hasWanted)
    }

    @Test("A failure of somebody else's attempt does not undo a subscription")
    func overlap() {
        var table = SubscriptionTable()
        table.begin([subscription(1)])
        table.begin([subscription(1)])
        let step10 = table.finish(queueID(1), nil, in: 1, current: 1)
        #expect(step10 == .active)
        let step11 = table.finish(queueID(1), temporary, in: 1, current: 1)
        #expect(step11 == .active)
        let step12 = table.disconnect(1)
        #expect(step12 == [queueID(1)])
    }

    @Test("Any order of happenings leaves the count of wanted queues right")
    func fuzz() {
        let random = SeededRandomSource(seed: 3)
        var table = SubscriptionTable()
        for _ in 0..<5_000 {
            let bytes = random.bytes(3)
            let queue = queueID(bytes[1] % 8)
            switch bytes[0] % 8 {
            case 0: table.begin([subscription(bytes[1] % 8)])
            case 1: table.want(subscription(bytes[1] % 8))
            case 2: table.add(subscription(bytes[1] % 8), in: Int(bytes[2] % 3))
            case 3: _ = table.takeWanted(atMost: Int(bytes[2] % 3) + 1)
            case 4: _ = table.finish(queue, bytes[2] % 2 == 0 ? nil : temporary, in: 1, current: Int(bytes[2] % 3))
            case 5: _ = table.disconnect(Int(bytes[2] % 3))
            case 6: table.forget(queue)
            default: _ = table.finish(queue, final, in: 1, current: 1)
            }
            var copy = table
            let wanted = copy.takeWanted(atMost: 100)
            #expect(wanted.isEmpty != table.hasWanted)
            #expect(!copy.hasWanted)
        }
    }
}
