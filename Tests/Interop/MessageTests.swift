import ChatProtocol
import Testing

extension Interop {
    /// What two connected contacts do with messages.
    @Suite struct Messages {
        @Test(arguments: Passage.allCases) func `A text arrives, and its receipt comes back`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("text and delivery receipt", way.who, through: way.router) {
                let text = "hello from \(sender.name) ✓ 😀"
                let item = try await sender.say(text)
                let heard = try await receiver.hear(text)
                try #require(heard["meta"]?["showGroupAsSender"]?.boolValue != true)
                try await sender.receipt(of: item)
            }
        }

        @Test(arguments: Passage.allCases) func `An answer quotes what it answers`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("quote", way.who, through: way.router) {
                let question = "what is asked by \(receiver.name)"
                try await receiver.say(question)
                let quoted = try #require(try await sender.hear(question).itemID)
                let answer = "answered by \(sender.name)"
                try await sender.say(answer, quoting: quoted)
                let quote = try #require(try await receiver.hear(answer)["quotedItem"])
                try #require(quote["content"]?["text"]?.stringValue == question)
                try #require(quote["chatDir"]?["type"]?.stringValue == "directSnd", "the receiver's own message was quoted")
                try #require(quote["itemId"]?.intValue != nil, "the quote is linked to the message")
            }
        }

        @Test(arguments: Passage.allCases) func `An edited message changes on the other side`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("edit", way.who, through: way.router) {
                let text = "first by \(sender.name)"
                let sent = try await sender.say(text)
                let received = try await receiver.hear(text).itemID
                let message: JSONValue = ["msgContent": ["type": "text", "text": .string("second by \(sender.name)")], "mentions": [:]]
                try await sender.party.send("/_update item @\(sender.contact) \(sent) json \(message.text)")
                let changed = try await receiver.item("chatItemUpdated") { $0.itemText == "second by \(sender.name)" }
                try #require(changed.itemID == received)
                try #require(changed["meta"]?["itemEdited"]?.boolValue == true)
                let info = try await receiver.party.send("/_get item info @\(receiver.contact) \(try #require(received))")
                try #require(info["chatItemInfo"]?["itemVersions"]?.arrayValue?.count == 2)
            }
        }

        @Test(arguments: Passage.allCases) func `A message deleted for everyone is marked on the other side`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("delete for everyone", way.who, through: way.router) {
                let text = "to be deleted by \(sender.name)"
                let sent = try await sender.say(text)
                let received = try await receiver.hear(text).itemID
                try await sender.party.send("/_delete item @\(sender.contact) \(sent) broadcast")
                let deletion = try await receiver.party.event("chatItemsDeleted") { event in
                    event["chatItemDeletions"]?.arrayValue?.first { $0["deletedChatItem"]?["chatItem"]?.itemID == received }
                }
                try #require(deletion["toChatItem"]?["chatItem"]?["meta"]?["itemDeleted"]?["type"]?.stringValue == "deleted")
            }
        }

        @Test(arguments: Passage.allCases) func `A reaction comes and is taken back`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("reaction, added and removed", way.who, through: way.router) {
                let text = "something that \(sender.name) likes"
                let sent = try await receiver.say(text)
                let received = try #require(try await sender.hear(text).itemID)
                for isAdded in [true, false] {
                    let change = #"/_reaction @\#(sender.contact) \#(received) \#(isAdded ? "on" : "off") {"type":"emoji","emoji":"🚀"}"#
                    try await sender.party.send(change)
                    let reaction = try await receiver.party.event("chatItemReaction") { event in
                        event["reaction"]?["chatReaction"]?["chatItem"]?.itemID == sent && event["added"]?.boolValue == isAdded
                            ? event["reaction"]?["chatReaction"] : nil
                    }
                    try #require(reaction["reaction"]?["emoji"]?.stringValue == "🚀")
                    let counts = reaction["chatItem"]?["reactions"]?.arrayValue ?? []
                    try #require(counts.count == (isAdded ? 1 : 0))
                }
            }
        }

        @Test(arguments: Passage.allCases) func `Both sides read the same formatting`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("markdown", way.who, through: way.router) {
                for text in [
                    "*bold* _italic_ ~struck~ `code` #secret# !1 red! by \(sender.name)",
                    "see https://example.org/path?q=1 or mail me@example.com, \(sender.name)",
                    "/help \(sender.name)", "two\nlines of *\(sender.name)*",
                ] {
                    let sent = try await sender.say(text)
                    let received = try await receiver.hear(text)
                    let own = try #require(try await sender.history(200).first { $0.itemID == sent })
                    try #require(received["formattedText"] == own["formattedText"])
                    try #require(received["formattedText"] != nil)
                }
            }
        }

        @Test(arguments: Passage.allCases) func `A live message grows on the other side`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("live message", way.who, through: way.router) {
                let sent = try await sender.say("li-\(sender.name)", options: "live=on ")
                let first = try await receiver.hear("li-\(sender.name)")
                try #require(first["meta"]?["itemLive"]?.boolValue == true)
                for (text, isLive) in [("live mess-\(sender.name)", true), ("live message-\(sender.name)", false)] {
                    let message: JSONValue = ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
                    try await sender.party.send("/_update item @\(sender.contact) \(sent) live=\(isLive ? "on" : "off") json \(message.text)")
                    let item = try await receiver.item("chatItemUpdated") { $0.itemText == text }
                    try #require(item.itemID == first.itemID)
                    try #require((item["meta"]?["itemLive"]?.boolValue ?? false) == isLive)
                }
            }
        }

        @Test(arguments: Passage.allCases) func `Long messages arrive whole, compressible or not`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("messages near the size limit", way.who, through: way.router) {
                let dull = "\(sender.name) " + String(repeating: "a", count: 14_900)
                var generator = SystemRandomNumberGenerator()
                let varied =
                    sender.name + " "
                    + String((0..<9_000).map { _ in Character(UnicodeScalar(UInt8.random(in: 33...126, using: &generator))) })
                    .replacing("\\", with: "/").replacing("\"", with: "'")
                for text in [dull, varied] {
                    let item = try await sender.say(text)
                    try await receiver.hear(text)
                    try await sender.receipt(of: item)
                }
            }
        }

        @Test(arguments: Passage.allCases) func `Many messages sent at once arrive in their order`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("a batch of messages, in order", way.who, through: way.router) {
                let texts = (1...30).map { "number \($0) of \(sender.name)" }
                let messages = texts.map { text -> JSONValue in
                    ["msgContent": ["type": "text", "text": .string(text)], "mentions": [:]]
                }
                try await sender.party.send("/_send @\(sender.contact) json \(JSONValue.array(messages).text)")
                try await receiver.hear(texts[29])
                let heard = try await receiver.history(200).filter(\.isReceived).compactMap(\.itemText).filter(texts.contains)
                try #require(heard == texts)
            }
        }

        @Test(arguments: Passage.allCases) func `A link with its preview arrives`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("link with preview", way.who, through: way.router) {
                let text = "https://example.org/\(sender.name)"
                let content: JSONValue = [
                    "type": "link", "text": .string(text),
                    "preview": ["uri": .string(text), "title": "Example", "description": "An example", "image": "data:image/png;base64,AAAA"],
                ]
                try await sender.compose(content)
                let heard = try await receiver.hear(text)
                try #require(heard["content"]?["msgContent"]?["preview"]?["title"] == "Example")
            }
        }

        @Test(arguments: Passage.allCases) func `A message forwarded is shown as forwarded`(_ way: Passage) async throws {
            let (sender, receiver) = try await way.sides()
            try await seen("forwarded message", way.who, through: way.router) {
                let text = "forwarded by \(sender.name)"
                let item = try await sender.say(text)
                try await receiver.hear(text)
                try await sender.party.send("/_forward @\(sender.contact) @\(sender.contact) \(item)")
                try #require(try await receiver.hear(text)["meta"]?["itemForwarded"] != nil)
            }
        }
    }
}
