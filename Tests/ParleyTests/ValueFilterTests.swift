import ChatAPI
import ChatProtocol
import TestSupport
import Testing

@testable import Parley

@Suite("Handlers with filters that find values") struct ValueFilterTests {
    @Test("get the values beside the message, in the order of the filters, and none of them is optional") func values() async throws {
        let core = ScriptedCore(), seen = EventLog<String>()
        let bot = Bot("Reader") {
            On(.anyMessage && .fromMember && .withQuote && .fromOwner, in: .groups) { message, member, quote in
                seen.add("\(message.text) of \(member.name) about \(quote.content.text)")
            }
            On(.anyMessage && .withQuote && .fromMember && .longText, in: .groups) { message, quote, member, length in
                seen.add("\(length) of \(member.displayName) about \(quote.content.text)")
            }
            On(.anyMessage && .fromMember, in: .groups) { message, member in seen.add("\(message.text) of \(member.name)") }
            On(.anyMessage && .fromContact) { message, contact in seen.add("\(message.text) of \(contact.localDisplayName)") }
        }
        #expect(bot.validationErrors == [])
        let (group, bob) = try core.addGroup(), ann = try core.add(contact: 4, name: "ann")
        let owner = changed(bob) { $0.role = .owner }
        _ = try await HostSessionTests().running([bot], on: core) { _ in
            core.receive("plain", from: bob, in: group)
            for (author, text) in [(owner, "owned"), (bob, "short"), (bob, "long enough")] {
                core.receive(text, from: author, in: group) {
                    $0.quotedItem = ItemQuote(itemID: 1, sentAt: ScriptedCore.time, content: .text("earlier"))
                }
            }
            try await eventually("the group is read") { seen.all.count == 4 }
            core.receive("hi", from: ann)
            try await eventually("the contact is read") { seen.all.count == 5 }
        }
        #expect(seen.all == ["plain of bob", "owned of bob about earlier", "short of bob", "11 of bob about earlier", "hi of ann"])
    }

    @Test("do not hide those below them, and keep the command of their trigger") func validation() {
        let bot = Bot("Reader") {
            On(.text && .fromMember, in: .groups) { _, _ in }
            On(.text("ping"), in: .groups) { _ in }
            On(.command("show", "Show it") && .withQuote) { _, _ in }
        }
        #expect(bot.validationErrors == [])
        #expect(bot.menu.map(\.keyword) == ["show"])
    }
}

private func changed<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
}

extension ValueFilter where Context == MessageContext, Value == Int {
    /// The number of characters of a text that has more than five.
    fileprivate static var longText: Self { Self { $0.text.count > 5 ? $0.text.count : nil } }
}
