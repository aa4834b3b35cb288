import ProcessSupport
import Testing

@Suite struct MailboxTests {
    private let mailbox = Mailbox<Int>(label: { "\($0)" })

    @Test func `What was looked at is still there for whoever takes it`() async throws {
        async let seen = mailbox.peek("an even number", within: .seconds(20)) { $0.isMultiple(of: 2) ? $0 : nil }
        async let seenToo = mailbox.peek("a number", within: .seconds(20)) { $0 }
        mailbox.put(4)
        #expect(try await [seen, seenToo] == [4, 4])
        #expect(try await mailbox.peek("a number", within: .seconds(20)) { $0 } == 4)
        #expect(try await mailbox.first("a number", within: .seconds(20)) { $0 } == 4)
        await #expect { try await mailbox.peek("a number", within: .milliseconds(20)) { $0 } } throws: { ($0 as? PeerError)?.code == .timeout }
    }

    @Test func `Each element is taken once, by whoever wants that one`() async throws {
        async let odd = mailbox.first("an odd number", within: .seconds(20)) { $0.isMultiple(of: 2) ? nil : $0 }
        async let even = mailbox.first("an even number", within: .seconds(20)) { $0.isMultiple(of: 2) ? $0 : nil }
        mailbox.put(2)
        mailbox.put(3)
        #expect(try await (odd, even) == (3, 2))
    }

    @Test func `What came before the end is taken, and then the end is told`() async throws {
        mailbox.put(1)
        mailbox.finish(PeerError(.ended, "over"))
        #expect(try await mailbox.first("a number", within: .seconds(20)) { $0 } == 1)
        await #expect { try await mailbox.first("a number", within: .seconds(20)) { $0 } } throws: { ($0 as? PeerError)?.code == .ended }
    }
}
