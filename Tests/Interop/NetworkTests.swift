import ChaosProxy
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// A bad network between both parties and their router.
    @Suite struct Networks {
        private static let count = 30, strikes = 8

        @Test(arguments: Implementation.allCases) func `Messages come once and in order, whatever becomes of connections`(_ router: Implementation) async throws {
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

        /// - Returns: the last item.
        private static func send(from side: Side) async throws -> Int64 {
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
