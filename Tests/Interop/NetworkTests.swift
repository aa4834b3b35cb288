import ChaosProxy
import ChatProtocol
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// A bad network between both parties and their router.
    @Suite struct Networks {
        private static let count = 30, strikes = 8

        @Test(arguments: Implementation.allCases) func `Messages come once and in order, whatever becomes of connections`(_ router: Implementation) async throws
        {
            try await seen("30 messages each way while connections are closed, torn down, damaged and repeated", "both ways", through: router) {
                let carrier = try await router.router()
                let colon = try #require(carrier.address.lastIndex(of: ":"))
                let port = try #require(Int(carrier.address[colon...].dropFirst()))
                let proxy = try await ChaosProxy.start(to: port)
                let address = "\(carrier.address[..<colon]):\(proxy.port)"
                let olga = try await Implementation.official.party("olga", servers: [address])
                let pablo = try await Implementation.parley.party("pablo", servers: [address])
                let pair = try await Pair.connect(olga, pablo, carrier)
                try await converse(pair.official, pair.parley, "before")

                let first = proxy.connectionCount
                proxy.setPlan { Self.treatment(of: $0 - first) }
                proxy.dropAll()
                async let last = Self.send(from: pair.official)
                let items = (official: try await last, parley: try await Self.send(from: pair.parley))
                try await pair.official.receipt(of: items.official, within: .seconds(200))
                try await pair.parley.receipt(of: items.parley, within: .seconds(200))
                for side in [pair.official, pair.parley] {
                    let texts = try await side.history(100).filter(\.isReceived).compactMap(\.itemText).filter { $0.hasPrefix("message ") }
                    try #require(texts == (1...Self.count).map { "message \($0)" }, "as \(side.name) has them")
                }
                try #require(proxy.struckCount >= Self.strikes, "\(proxy.struckCount) connections were struck")
                try await pair.close()
                try await proxy.stop()
                await carrier.end(.kill)
            }
        }

        // An official client gives a silent connection up after 15 minutes, which no setting changes; what is lost in silence it sends again
        // when its time limits are over or the connection ends.
        @Test(arguments: Implementation.allCases) func `Who sends into a silent network is understood when it speaks again`(_ router: Implementation)
            async throws
        {
            try await seen(
                "a network that falls silent without an end to connections, messages sent meanwhile", "both ways, noticed by Parley", through: router
            ) {
                let carrier = try await router.router()
                let colon = try #require(carrier.address.lastIndex(of: ":"))
                let port = try #require(Int(carrier.address[colon...].dropFirst()))
                let proxy = try await ChaosProxy.start(to: port)
                let address = "\(carrier.address[..<colon]):\(proxy.port)"
                let olga = try await Implementation.official.party("olga", servers: [address])
                let pablo = try await ParleyParty("pablo", servers: [address], silenceLimit: .seconds(3))
                try await Self.beImpatient(pablo)
                let pair = try await Pair.connect(olga, pablo, carrier)
                try await converse(pair.official, pair.parley, "before")

                proxy.fallSilent()
                async let last = Self.send(10, from: pair.official)
                let items = (official: try await last, parley: try await Self.send(10, from: pair.parley))
                try await Self.subscription(pablo, "pending")
                proxy.speakAgain()
                try await Self.subscription(pablo, "active")
                try await Self.subscription(olga, "active", within: .seconds(120))
                try await pair.official.receipt(of: items.official, within: .seconds(120))
                try await pair.parley.receipt(of: items.parley, within: .seconds(120))
                for side in [pair.official, pair.parley] {
                    let texts = try await side.history(100).filter(\.isReceived).compactMap(\.itemText).filter { $0.hasPrefix("message ") }
                    try #require(texts == (1...10).map { "message \($0)" }, "as \(side.name) has them")
                }
                try #require(proxy.silencedCount >= 2, "\(proxy.silencedCount) connections were silent")
                try await converse(pair.official, pair.parley, "after")
                try await pair.close()
                try await proxy.stop()
                await carrier.end(.kill)
            }
        }

        /// Lets a party ask every second whether its routers are there, and wait two seconds for answers.
        private static func beImpatient(_ party: any Party) async throws {
            let config = try #require(try await party.send("/network")["networkConfig"]?.objectValue)
            var changed = config
            changed["smpPingInterval"] = 1_000_000
            changed["tcpTimeout"] = ["backgroundTimeout": 2_000_000, "interactiveTimeout": 2_000_000]
            try await party.send("/_network \(JSONValue.object(changed).text)")
        }

        /// Waits until a party's subscription becomes that.
        private static func subscription(_ party: any Party, _ status: String, within limit: Duration = .seconds(60)) async throws {
            try await party.event("subscriptionStatus", within: limit) { event in
                event["subscriptionStatus"]?["type"]?.stringValue == status ? event : nil
            }
        }

        /// - Returns: the last item.
        private static func send(_ count: Int = count, from side: Side) async throws -> Int64 {
            var last: Int64 = 0
            for number in 1...count { last = try await side.say("message \(number)") }
            return last
        }

        /// Some connections end after a few blocks, the later ones stay.
        private static func treatment(of number: Int) -> Treatment {
            guard number <= strikes else { return Treatment() }
            let endings: [Treatment.Ending] = [.close, .reset, .damage, .repetition]
            return Treatment(
                endings[number % endings.count], after: 60_000 + number * 7_919 % 50_000, number % 3 == 0 ? .toClient : .toRouter)
        }
    }
}
