import SMPCrypto
import SMPProtocol
import SMPSimulation
import SMPWire
import Synchronization
import TestSupport
import Testing

@testable import SMPAgent

@Suite struct PostQuantumTests {
    @Test(arguments: [PQInitialKeys.usePQ, .supported, .off], [true, false])
    func `Encryption is post-quantum when both sides want it, soon if not at once`(pq: PQInitialKeys, pqSupport: Bool) async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect(pq: pq, pqSupport: pqSupport)
        let isWanted = pq != .off && pqSupport
        for number in 1...4 {
            try await pair.alice.send("a\(number)", to: alice, pq: isWanted)
            await pair.bob.wait("message") { $0.order[bob]?.count == number }
            try await pair.bob.send("b\(number)", to: bob, pq: isWanted)
            await pair.alice.wait("message") { $0.order[alice]?.count == number }
        }
        #expect(pair.bob.seen.metadata[bob]?.last?.pqEncryption == isWanted)
        #expect(pair.alice.seen.metadata[alice]?.last?.pqEncryption == isWanted)
        if pq == .usePQ, pqSupport { #expect(pair.bob.seen.metadata[bob]?.first?.pqEncryption == true) }
        #expect(pair.alice.seen.failures == [])
        await pair.close()
    }

    @Test func `Either side turns post-quantum encryption on in a connection without it`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect(pq: .off, pqSupport: false)
        for number in 1...5 {
            try await pair.alice.send("a\(number)", to: alice, pq: number > 1)
            await pair.bob.wait("message") { $0.order[bob]?.count == number }
            try await pair.bob.send("b\(number)", to: bob, pq: number > 1)
            await pair.alice.wait("message") { $0.order[alice]?.count == number }
        }
        #expect(pair.bob.seen.metadata[bob]?.map(\.pqEncryption).first == false)
        #expect(pair.bob.seen.metadata[bob]?.map(\.pqEncryption).last == true)
        #expect(pair.alice.seen.failures == [])
        await pair.close()
    }

    @Test func `An agent of a version without it does not get it, whatever it is asked for`() async throws {
        var old = AgentConfiguration.quick
        old.ratchetVersions = VersionRange(2)
        let pair = try await Pair(old)
        let (alice, bob) = try await pair.connect()
        for number in 1...4 {
            try await pair.alice.send("a\(number)", to: alice, pq: true)
            await pair.bob.wait("message") { $0.order[bob]?.count == number }
            try await pair.bob.send("b\(number)", to: bob, pq: true)
            await pair.alice.wait("message") { $0.order[alice]?.count == number }
        }
        for (party, connection) in [(pair.alice, alice), (pair.bob, bob)] {
            #expect(party.seen.metadata[connection]?.map(\.pqEncryption) == [false, false, false, false])
            #expect(party.seen.failures == [])
        }
        await pair.close()
    }

    @Test func `One side alone can turn it on, and the other's messages still fit`() async throws {
        let pair = try await Pair()
        let (alice, bob) = try await pair.connect(pq: .off, pqSupport: false)
        for number in 1...5 {
            try await pair.alice.send("a\(number)", to: alice, pq: true)
            await pair.bob.wait("message") { $0.order[bob]?.count == number }
            try await pair.bob.send("b\(number)", to: bob, pq: false)
            await pair.alice.wait("message") { $0.order[alice]?.count == number }
        }
        #expect(pair.alice.seen.failures == [])
        #expect(pair.bob.seen.failures == [])
        await pair.close()
    }

    @Test func `A link with a KEM key is longer, one whose key is behind a short link is not`() async throws {
        let pair = try await Pair()
        let with = try await pair.alice.invite(pq: .usePQ)
        let without = try await pair.alice.invite(pq: .supported)
        let behind = try await pair.alice.invite(pq: .supported, linkData: .invitation(UserLinkData([1])))
        func hasKEM(_ link: ConnectionRequestURI) -> Bool {
            if case .invitation(_, let parameters) = link { parameters.kemKey != nil } else { false }
        }
        #expect(hasKEM(with.link))
        #expect(!hasKEM(without.link))
        #expect(!hasKEM(behind.link))
        let user = pair.bob.user.withLock { $0 }
        let resolved = try await pair.bob.agent.resolveShortLink(user: user, link: try #require(behind.shortLink))
        #expect(hasKEM(resolved.fixed.connectionRequest))
        await pair.close()
    }

    @Test func `Key pairs are made ahead from the first use on, and at once when none is left`() async throws {
        let pool = KEMKeyPairPool(capacity: 2, random: SystemRandomSource())
        #expect(pool.count == 0)
        var taken = [pool.kemKeyPair()]
        try await eventually("there are two pairs") { pool.count >= 2 }
        for _ in 0..<3 { taken.append(pool.kemKeyPair()) }
        #expect(Set(taken.map(\.publicKey)).count == 4)
        pool.stop()
    }

    @Test func `A pool that runs low is filled further, up to its capacity`() async throws {
        let pool = KEMKeyPairPool(capacity: 6, random: SystemRandomSource())
        _ = pool.kemKeyPair()
        try await eventually("there are four pairs") { pool.count >= 4 }
        // One less leaves half of what there will be.
        _ = pool.kemKeyPair()
        try await eventually("there are six pairs") { pool.count >= 6 }
        pool.stop()
        for _ in 0..<6 { _ = pool.kemKeyPair() }
        #expect(pool.count == 0)
    }

    @Test func `A pool without capacity makes no pairs ahead`() async throws {
        let pool = KEMKeyPairPool(capacity: 0, random: SystemRandomSource())
        #expect(pool.kemKeyPair() != pool.kemKeyPair())
        #expect(pool.count == 0)
    }
}
