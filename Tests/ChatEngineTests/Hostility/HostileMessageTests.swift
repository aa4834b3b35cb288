import ChatAPI
import ChatRules
import EncryptedSQLite
import Foundation
import GRDB
import SMPAgent
import SMPProtocol
import SMPWire
import TestSupport
import Testing

@testable import ChatEngine
@testable import ChatProtocol
@testable import ChatStore

/// A contact that sends what no client sends. Whatever it is, it must not end the process, change what is not the sender's, or hold up
/// this chat or others.
@Suite("Hostile messages")
struct HostileMessageTests {
    /// Alice, her friend, and somebody who sends what he likes over a connection with her.
    private struct Scene {
        let alice, friend, mallory: TestPerson
        /// Whom Alice knows them as.
        let friendAtAlice, malloryAtAlice: ContactID
        let aliceAtFriend, aliceAtMallory: ContactID

        init() async throws {
            let world = TestWorld()
            alice = try await TestPerson("alice", world)
            friend = try await TestPerson("friend", world)
            mallory = try await TestPerson("mallory", world)
            (friendAtAlice, aliceAtFriend) = try await TestPerson.connect(alice, friend)
            (malloryAtAlice, aliceAtMallory) = try await TestPerson.connect(alice, mallory)
        }

        /// Sends bodies as they are, past the engine.
        func attack(_ bodies: [Bytes]) async throws {
            let contact = aliceAtMallory
            let connection = try await mallory.core.native.engine.store.read { db in
                try db.firstID("SELECT connection_id FROM connections WHERE contact_id = ?", [contact]).flatMap { try db.connections.find($0) }
            }
            let id = ConnectionID(try #require(connection).agentConnectionID)
            for body in bodies {
                let results = await mallory.core.native.engine.agent.send([
                    AgentSendRequest(connection: id, body: body, flags: MessageFlags(notification: true), pqEncryption: false, key: nil)
                ])
                for result in results { _ = try result.get() }
            }
        }

        /// That everything still works, in this chat and in others.
        func checkAfter(_ what: String) async throws {
            _ = try await friend.core.send(what, to: aliceAtFriend)
            _ = try await mallory.core.send(what, to: aliceAtMallory)
            await alice.eventually("the friend's message after \(what)") { await $0.received(from: friendAtAlice, count: 1).last == what }
            await alice.eventually("the next message after \(what)") { await $0.received(from: malloryAtAlice, count: 1).last == what }
            _ = try await alice.core.send("answer to \(what)", to: malloryAtAlice)
            await mallory.eventually("the answer to \(what)") { await $0.received(from: aliceAtMallory, count: 1).last == "answer to \(what)" }
        }

        func close() async {
            for person in [alice, friend, mallory] { await person.core.close() }
        }
    }

    private static func message(_ event: String, _ parameters: String, id: String? = nil) -> Bytes {
        let id = id ?? Base64URL.encode((0..<12).map { _ in UInt8.random(in: 0...255) })
        return Bytes("{\"v\":\"1-16\",\"msgId\":\"\(id)\",\"event\":\"\(event)\",\"params\":\(parameters)}".utf8)
    }

    /// Bodies that are no messages.
    private static var garbled: [Bytes] {
        let valid = message("x.msg.new", #"{"content":{"type":"text","text":"hello"}}"#)
        let deep = Bytes(repeating: UInt8(ascii: "["), count: 14_000)
        let deepObject = Bytes(String(repeating: #"{"a":"#, count: 2_500).utf8)
        return [
            [], [0], [0xFF], Bytes(repeating: 0, count: 15_000), Bytes(repeating: UInt8(ascii: "X"), count: 100),
            Bytes("{}".utf8), Bytes("[]".utf8), Bytes("null".utf8), Bytes("\"x\"".utf8), Bytes("[[[]]]".utf8), Bytes("[1,2,3]".utf8),
            Bytes("{\"event\":null}".utf8), Bytes("{\"event\":\"x.msg.new\"}".utf8), Bytes("{\"v\":\"99-1\",\"event\":\"x.ok\",\"params\":{}}".utf8),
            Bytes(valid.prefix(valid.count / 2)), valid + Bytes("trailing".utf8), [0xEF, 0xBB, 0xBF] + valid, [UInt8(ascii: "=")],
            [UInt8(ascii: "="), 255], [UInt8(ascii: "="), 2, 0, 200, 1], [UInt8(ascii: ">")], [UInt8(ascii: "/")],
            [UInt8(ascii: "/"), 1, 2, 3], deep, deepObject, Bytes("{\"v\":\"1\",\"event\":\"\u{0}\",\"params\":{}}".utf8),
            Bytes(#"{"v":"1-16","event":"x.msg.new","params":{"content":{"type":"text","text":"\ud800"}}}"#.utf8),
            Bytes("{\"a\":1e999999999}".utf8), Bytes(("[" + Array(repeating: "0", count: 7_000).joined(separator: ",") + "]").utf8),
        ]
    }

    /// Messages whose parameters no client makes.
    private static var absurd: [Bytes] {
        let contents = [
            "null", "1", "[]", "{}", #"{"type":"text"}"#, #"{"type":1,"text":"x"}"#, #"{"type":"text","text":["x"]}"#,
            #"{"type":"never.heard.of.it"}"#, #"{"type":"image","text":"x","image":17}"#, #"{"type":"image","text":"x","image":"data:nonsense"}"#,
            #"{"type":"link","text":"x","preview":{"uri":"::","title":5}}"#, #"{"type":"voice","text":"","duration":-1}"#,
            #"{"type":"voice","text":"","duration":99999999999999999999}"#, #"{"type":"video","text":"","image":"","duration":1e308}"#,
            #"{"type":"report","text":"x","reason":"because"}"#, #"{"type":"chat","text":"","chatLink":{}}"#, "{\"type\":\"text\",\"text\":\"a\\u0000b\"}",
            "{\"type\":\"text\",\"text\":\"\(String(repeating: "*", count: 4_000))\"}",
            "{\"type\":\"text\",\"text\":\"\(String(repeating: "https://a.b/ ", count: 900))\"}",
            "{\"type\":\"text\",\"text\":\"\(String(repeating: "\u{202E}\u{0301}", count: 1_500))\"}",
        ]
        var bodies = contents.map { message("x.msg.new", "{\"content\":\($0)}") }
        let text = #""content":{"type":"text","text":"x"}"#
        let absurdity = [
            #""ttl":-1"#, #""ttl":9223372036854775807"#, #""ttl":99999999999999999999"#, #""ttl":"x""#, #""live":"yes""#, #""live":true"#,
            #""forward":true"#, #""forward":{}"#, #""scope":{"type":"reports"}"#, #""mentions":{"a":{}}"#, #""mentions":[]"#,
            #""file":{}"#, #""file":{"fileName":"../../etc/passwd","fileSize":-5}"#, #""file":{"fileName":"\u0000","fileSize":9223372036854775807}"#,
            #""file":{"fileName":"x","fileSize":1e30}"#, #""quote":{}"#, #""quote":5"#, #""parent":{"msgId":"!!"}"#, #""asGroup":true"#,
            #""quote":{"msgRef":{"msgId":"AAAA","sentAt":"not a time","sent":true},"content":{"type":"text","text":"q"}}"#,
            #""quote":{"msgRef":{"sentAt":"9999999-01-01T00:00:00Z","sent":true},"content":{"type":"text","text":"q"}}"#,
            #""quote":{"msgRef":{"msgId":"AAAAAAAAAAAAAAAA","sentAt":"2020-01-01T00:00:00Z","sent":true},"content":{"type":"text","text":"never said"}}"#,
        ]
        bodies += absurdity.map { message("x.msg.new", "{\(text),\($0)}") }
        let ids = ["", "AA", "!!!!", "AAAAAAAAAAAAAAAA", String(repeating: "A", count: 400)]
        for id in ids {
            bodies.append(message("x.msg.new", "{\(text)}", id: id))
            bodies.append(message("x.msg.update", "{\"msgId\":\"\(id)\",\(text)}"))
            bodies.append(message("x.msg.del", "{\"msgId\":\"\(id)\"}"))
            bodies.append(message("x.msg.react", "{\"msgId\":\"\(id)\",\"reaction\":{\"type\":\"emoji\",\"emoji\":\"x\"},\"add\":true}"))
        }
        let profiles = [
            "{}", #"{"displayName":"","fullName":""}"#, "{\"displayName\":\"a\\u0000b/../\",\"fullName\":\"\"}",
            "{\"displayName\":\"\(String(repeating: "n", count: 9_000))\",\"fullName\":\"\"}", #"{"displayName":"friend","fullName":""}"#,
            #"{"displayName":"alice","fullName":"","image":"data:x","contactLink":"nonsense","preferences":{"timedMessages":{"allow":"always","ttl":-9}}}"#,
            #"{"displayName":"mallory","fullName":"","preferences":{"commands":[{"type":"command","keyword":"","label":""}]},"peerType":"alien"}"#,
        ]
        bodies += profiles.map { message("x.info", "{\"profile\":\($0)}") }
        let others = [
            ("x.contact", "{}"), ("x.contact", #"{"profile":{"displayName":"again","fullName":""}}"#), ("x.grp.mem.new", "{}"),
            ("x.grp.inv", "{}"), ("x.grp.mem.fwd", #"{"x":1}"#), ("x.file", "{}"), ("x.file.acpt", "{}"), ("x.file.cancel", #"{"msgId":"AA"}"#),
            ("x.msg.file.descr", #"{"msgId":"AAAA","fileDescr":{"fileDescrText":"x","fileDescrPartNo":-1,"fileDescrComplete":true}}"#),
            ("x.call.inv", "{}"), ("x.call.inv", #"{"callId":"AAAA","invitation":{"callType":{"media":"smell","capabilities":{}}}}"#),
            ("x.call.offer", "{}"), ("x.call.end", #"{"callId":"AAAA"}"#), ("x.info.probe", "{}"), ("x.info.probe.check", #"{"probeHash":"AA"}"#),
            ("x.direct.del", "[]"), ("x.never.heard", #"{"a":[1,2,{"b":null}]}"#), ("", "{}"), ("x.ok", "5"),
        ]
        return bodies + others.map { message($0.0, $0.1) }
    }

    @Test("bodies that are no messages are passed over")
    func garbled() async throws {
        let scene = try await Scene()
        try await scene.attack(Self.garbled)
        try await scene.checkAfter("garbled")
        await scene.close()
    }

    @Test("messages with absurd parameters are passed over, or shown for what they are")
    func absurd() async throws {
        let scene = try await Scene()
        try await scene.attack(Self.absurd)
        try await scene.checkAfter("absurd")
        // The friend's name is the friend's, whatever others call themselves.
        guard case .contactsList(_, let contacts) = try await scene.alice.core.run("/_contacts 1") else { throw UnexpectedAnswer() }
        #expect(contacts.first { $0.contactID == scene.friendAtAlice }?.localDisplayName == "friend")
        #expect(Set(contacts.map(\.localDisplayName)).count == contacts.count)
        await scene.close()
    }

    @Test("small bodies that would become huge are not unpacked")
    func bombs() async throws {
        let scene = try await Scene()
        func compressed(_ parts: [Bytes]) -> Bytes {
            var body: Bytes = [UInt8(ascii: "X"), UInt8(parts.count)]
            for part in parts { body += [UInt8(ascii: "1"), UInt8(part.count >> 8), UInt8(part.count & 255)] + part }
            return body
        }
        let zeros = try Zstandard.compress(Bytes(repeating: UInt8(ascii: " "), count: 100_000_000))
        try #require(zeros.count < 15_000)
        let fitting = try Zstandard.compress(Bytes(repeating: UInt8(ascii: " "), count: 60_000))
        // A frame that lies about how long its content is: the four bytes behind the header.
        var lying = zeros
        for index in 5..<min(9, lying.count) { lying[index] = index == 5 ? 10 : 0 }
        try await scene.attack([
            compressed([zeros]), compressed([lying]), compressed(Array(repeating: fitting, count: 200)), compressed([[1, 2, 3]]), compressed([[]]),
            [UInt8(ascii: "X"), 255], [UInt8(ascii: "X")], compressed([Bytes(zeros.prefix(20))]),
        ])
        try await scene.checkAfter("bombs")
        await scene.close()
    }

    @Test("what the other side wrote cannot be changed, deleted or put into its mouth")
    func others() async throws {
        let scene = try await Scene()
        let sent = try await scene.alice.core.send("mine", to: scene.malloryAtAlice)
        _ = try await scene.friend.core.send("the friend's", to: scene.aliceAtFriend)
        await scene.alice.eventually("the friend's message") { await $0.received(from: scene.friendAtAlice).count == 1 }
        await scene.mallory.eventually("alice's message") { await $0.received(from: scene.aliceAtMallory).count == 1 }
        let friends = await scene.alice.core.messages(with: scene.friendAtAlice)[0]
        let ids = [try #require(sent.meta.sharedMessageID), try #require(friends.meta.sharedMessageID)].map { Base64URL.encode($0.bytes) }
        var bodies: [Bytes] = []
        for id in ids {
            bodies.append(Self.message("x.msg.update", "{\"msgId\":\"\(id)\",\"content\":{\"type\":\"text\",\"text\":\"forged\"}}"))
            bodies.append(Self.message("x.msg.del", "{\"msgId\":\"\(id)\"}"))
            bodies.append(Self.message("x.msg.del", "{\"msgId\":\"\(id)\",\"memberId\":\"AAAA\"}"))
            // The same id as a message of the other side.
            bodies.append(Self.message("x.msg.new", "{\"content\":{\"type\":\"text\",\"text\":\"double\"}}", id: id))
        }
        // More reactions than one may make, and the same again and again.
        for emoji in ["👍", "👎", "😀", "😂", "😢", "❤", "🚀", "✅"] + Array(repeating: "👍", count: 20) {
            bodies.append(
                Self.message("x.msg.react", "{\"msgId\":\"\(ids[0])\",\"reaction\":{\"type\":\"emoji\",\"emoji\":\"\(emoji)\"},\"add\":true}"))
        }
        try await scene.attack(bodies)
        try await scene.checkAfter("forgeries")
        let mine = try #require(await scene.alice.core.messages(with: scene.malloryAtAlice).first)
        #expect(mine.meta.text == "mine" && mine.meta.deleted == nil && !mine.meta.isEdited)
        #expect(mine.reactions.count <= 3)
        #expect(mine.reactions.allSatisfy { $0.totalReacted == 1 && !$0.userReacted })
        let theirs = try #require(await scene.alice.core.messages(with: scene.friendAtAlice).first)
        #expect(theirs.meta.text == "the friend's" && theirs.meta.deleted == nil && !theirs.meta.isEdited)
        await scene.close()
    }

    @Test("valid messages with random damage are passed over", arguments: [UInt64(1), 2, 3])
    func damaged(seed: UInt64) async throws {
        let scene = try await Scene()
        var random = SplitMix64(seed: seed)
        let valid = [
            Self.message("x.msg.new", #"{"content":{"type":"text","text":"hello *world*"},"ttl":60}"#),
            Self.message("x.msg.update", #"{"msgId":"AAAAAAAAAAAAAAAA","content":{"type":"text","text":"new"}}"#),
            Self.message("x.info", #"{"profile":{"displayName":"mallory","fullName":"","preferences":{"voice":{"allow":"no"}}}}"#),
            Self.message("x.msg.react", #"{"msgId":"AAAAAAAAAAAAAAAA","reaction":{"type":"emoji","emoji":"👍"},"add":true}"#),
        ]
        let bodies = (0..<150).map { _ in
            var body = valid[Int(random.next() % UInt64(valid.count))]
            for _ in 0...Int(random.next() % 3) {
                let place = Int(random.next() % UInt64(max(1, body.count)))
                switch random.next() % 4 {
                case 0: body = Bytes(body.prefix(place))
                case 1 where !body.isEmpty: body[place] = UInt8(truncatingIfNeeded: random.next())
                case 2 where !body.isEmpty: body.remove(at: place)
                default: body.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                }
                if body.isEmpty { break }
            }
            return body
        }
        try await scene.attack(bodies)
        try await scene.checkAfter("damage")
        await scene.close()
    }

    @Test("garbled information in a handshake is reported, and the address goes on to work")
    func handshake() async throws {
        let world = TestWorld()
        let alice = try await TestPerson("alice", world)
        let mallory = try await TestPerson("mallory", world)
        let friend = try await TestPerson("friend", world)
        let address = await alice.core.answer("/_address 1")
        let addressLink = try #require(address["connLinkContact"]?["connFullLink"]?.stringValue)
        let agent = mallory.core.native.engine.agent
        let infos: [Bytes] = [
            [], [0xFF], Bytes("{}".utf8), Bytes("[{},{}]".utf8), Self.message("x.contact", "{}"), Self.message("x.info", "[]"), Self.message("x.ok", "{}"),
            Self.message("x.msg.new", #"{"content":{"type":"text","text":"too early"}}"#), Bytes(repeating: UInt8(ascii: "["), count: 9_000),
            Self.message("x.contact", #"{"profile":{"displayName":"m","fullName":""},"contactReqId":"!!"}"#),
        ]
        for (number, info) in infos.enumerated() {
            for text in [addressLink, try await alice.core.invite()] {
                guard case .full(let link) = try ConnectionLink(wireString: text) else { throw UnexpectedAnswer() }
                let id = try await agent.prepareToJoin(user: 1, link: link, pqSupport: false)
                _ = try await agent.join(user: 1, connection: id, link: link, info: info, pqSupport: false, subscription: .subscribe)
            }
            let seen = await alice.core.wait { events in
                events.count { event in
                    switch event {
                    case .chatError, .messageError, .receivedContactRequest: true
                    default: false
                    }
                } >= 2 * (number + 1)
            }
            #expect(seen, "information \(number)")
        }
        try await friend.core.join(addressLink)
        let asks = await alice.core.wait { events in
            events.contains { if case .receivedContactRequest(_, let request, _) = $0 { request.localDisplayName == "friend" } else { false } }
        }
        #expect(asks)
        let connected = try await TestPerson.connect(alice, friend)
        _ = try await friend.core.send("hello", to: connected.1)
        await alice.eventually("the friend's message") { await $0.received(from: connected.0) == ["hello"] }
        for person in [alice, mallory, friend] { await person.core.close() }
    }
}
