import ChatAPI
import ChatProtocol
import Foundation
import Hosting
import Logging
import OfficialPeers
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import ParleyCLI

/// Two programs of `parley api` that send each other messages and files, as gateways and people do.
@Suite struct APIFileTests {
    private struct Peer {
        let program: ChildProcess
        let socket: APISocket
        /// The id of the other one as a contact.
        var contact = ""
    }

    /// Connects a bot, which has these options, with a person.
    private func withPeers(_ options: [String], _ folder: ScratchFolder, _ body: (_ bot: Peer, _ person: Peer) async throws -> Void) async throws {
        var bot = try await start("helper", ["--address", "--accept"] + options, folder)
        var person = try await start("ann", ["--create-bot-allow-files"], folder)
        let address = try await bot.socket.send("/show_address"), link = address["contactLink"]?["connLinkContact"]
        let connected = try await person.socket.send("/c \(try #require(link?["connFullLink"]?.stringValue, "\(address.text)"))")
        try #require(connected["type"] == "sentInvitation", "\(connected.text)")
        bot.contact = try #require(try await bot.socket.event("contactConnected")["contact"]?["contactId"]?.text)
        person.contact = try #require(try await person.socket.event("contactConnected")["contact"]?["contactId"]?.text)
        try await body(bot, person)
        for peer in [bot, person] {
            await peer.socket.close()
            peer.program.send(.terminate)
            #expect(try await peer.program.exit() == 0, "\(peer.program.logTail())")
        }
    }

    private func start(_ name: String, _ options: [String], _ folder: ScratchFolder, data: String? = nil) async throws -> Peer {
        let program = try ParleyProgram.start(
            ["api", "-p", "0", "--json", "--data", folder(data ?? name), "--name", name, "--files-folder", folder(name + "-files")] + options, in: folder.path,
            log: folder(name + ".log"))
        return Peer(program: program, socket: try await APISocket.connect(try #require(try await program.ready().port)))
    }

    /// The next message of the other side.
    private func newItem(_ peer: Peer) async throws -> JSONValue {
        try await peer.socket.events.first("a message", within: Patience.limit) { event -> JSONValue? in
            guard let item = event["chatItems"]?[0], item["chatItem"]?["content"]?["type"] == "rcvMsgContent" else { return Optional.none }
            return item
        }
    }

    private func composed(_ members: String) -> String { "json [{\(members)}]" }

    @Test func filesAreSentByTheMembersThatGatewaysWrite() async throws {
        let folder = try ScratchFolder("files")
        defer { folder.remove() }
        try await withPeers(["--create-bot-allow-files"], folder) { bot, person in
            let outside = folder("report.txt"), inside = folder("helper-files/picture.jpg")
            try Data("a report".utf8).write(to: URL(filePath: outside))
            try Data("a picture".utf8).write(to: URL(filePath: inside))
            let image =
                "data:image/jpg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k="
            let cases = [
                (#""filePath":"\#(outside)","msgContent":{"type":"file","text":"here"}"#, "report.txt", "a report"),
                (#""fileSource":{"filePath":"\#(outside)"},"msgContent":{"type":"file","text":""}"#, "report.txt", "a report"),
                (#""filePath":"picture.jpg","msgContent":{"type":"image","image":"\#(image)","text":"look"}"#, "picture.jpg", "a picture"),
            ]
            for (members, name, content) in cases {
                let sent = try await bot.socket.send("/_send @\(bot.contact) \(composed(members))")
                #expect(sent["type"] == "newChatItems", "\(sent.text)")
                let item = try await newItem(person), file = item["chatItem"]?["file"]
                #expect(file?["fileName"]?.stringValue == name, "\(item.text)")
                _ = try await person.socket.send("/freceive \(file?["fileId"]?.text ?? "") approved_relays=on")
                let complete = try await person.socket.event("rcvFileComplete")
                let path = try #require(complete["chatItem"]?["chatItem"]?["file"]?["fileSource"]?["filePath"]?.stringValue, "\(complete.text)")
                // Relative to the folder that another container mounts at a place of its own.
                #expect(FileManager.default.contents(atPath: folder("ann-files/" + path)) == Data(content.utf8))
            }
            let missing = try await bot.socket.send("/_send @\(bot.contact) \(composed(#""filePath":"../report.txt","msgContent":{"type":"file","text":""}"#))")
            #expect(missing["type"] == "chatCmdError" && missing.text.contains("fileNotFound"), "\(missing.text)")
        }
    }

    @Test func anIdInThePlaceOfANameMeansTheContact() async throws {
        let folder = try ScratchFolder("names")
        defer { folder.remove() }
        try await withPeers([], folder) { bot, person in
            let sent = try await bot.socket.send("@\(bot.contact) hello")
            #expect(sent["type"] == "newChatItems", "\(sent.text)")
            #expect(try await newItem(person)["chatItem"]?["meta"]?["itemText"] == "hello")
            for name in ["0\(bot.contact)", "+\(bot.contact)", "99999999999999999999", "77"] {
                let refused = try await bot.socket.send("@\(name) hello")
                #expect(refused["type"] == "chatCmdError" && refused.text.contains("contactNotFound"), "\(refused.text)")
            }
            // A person who takes the number of another contact as a name gets nothing that is meant for that one.
            let alias = try await person.socket.send("/_profile 1 {\"displayName\":\"77\",\"fullName\":\"\"}")
            #expect(alias["type"] == "userProfileUpdated", "\(alias.text)")
            _ = try await bot.socket.event("contactUpdated")
            // Nobody has the number 77, or nobody has it any more.
            let misleading = try await bot.socket.send("@77 hello")
            #expect(misleading["type"] == "chatCmdError" && misleading.text.contains("could be the id of another"), "\(misleading.text)")
            let taken = try await person.socket.send("/_profile 1 {\"displayName\":\"2\",\"fullName\":\"\"}")
            #expect(taken["type"] == "userProfileUpdated", "\(taken.text)")
            let updated = try await bot.socket.event("contactUpdated"), name = updated["toContact"]?["localDisplayName"]
            #expect(name == "2", "\(updated.text)")
            let answer = try await bot.socket.send("@2 hello")
            #expect(answer["type"]?.stringValue == (bot.contact == "2" ? "newChatItems" : "chatCmdError"), "\(answer.text)")
        }
    }

    @Test func smallFilesAreAcceptedAndMessagesMarkedAsRead() async throws {
        let folder = try ScratchFolder("accept")
        defer { folder.remove() }
        try await withPeers(["--create-bot-allow-files", "--auto-accept-files", "1kb", "-r"], folder) { bot, person in
            try Data(repeating: 7, count: 1025).write(to: URL(filePath: folder("large.bin")))
            try Data(repeating: 8, count: 1024).write(to: URL(filePath: folder("small.bin")))
            for name in ["large", "small"] {
                let sent = try await person.socket.send(
                    "/_send @\(person.contact) \(composed(#""filePath":"\#(folder(name + ".bin"))","msgContent":{"type":"file","text":""}"#))")
                #expect(sent["type"] == "newChatItems", "\(sent.text)")
            }
            let complete = try await bot.socket.event("rcvFileComplete")
            #expect(complete["chatItem"]?["chatItem"]?["file"]?["fileName"] == "small.bin", "\(complete.text)")
            #expect(FileManager.default.contents(atPath: folder("helper-files/small.bin")) == Data(repeating: 8, count: 1024))
            let chat = try await bot.socket.send("/_get chat @\(bot.contact) count=10")
            let items = try #require(chat["chat"]?["chatItems"]?.arrayValue)
            let files = items.compactMap { $0["file"] }
            #expect(files.map { $0["fileStatus"]?["type"] } == ["rcvInvitation", "rcvComplete"], "\(files.map(\.text))")
            let received = items.filter { $0["chatDir"]?["type"] == "directRcv" && $0["content"]?["type"] == "rcvMsgContent" }
            #expect(received.count == 2 && received.allSatisfy { $0["meta"]?["itemStatus"]?["type"] == "rcvRead" }, "\(received.map(\.text))")
        }
    }

    @Test func aRelayHasItsProfileAndItsAddressAtTheFirstStart() async throws {
        let folder = try ScratchFolder("relay")
        defer { folder.remove() }
        let ordinary = try await start("helper", [], folder)
        await ordinary.socket.close()
        ordinary.program.send(.terminate)
        #expect(try await ordinary.program.exit() == 0)
        for start in 1...2 {
            let relay = try await self.start("relay", ["--relay"], folder, data: "helper")
            let user = try await relay.socket.send("/u"), address = try await relay.socket.send("/show_address")
            #expect(user["user"]?["userChatRelay"] == true, "start \(start): \(user.text)")
            #expect(address["type"] == "userContactLink", "start \(start): \(address.text)")
            #expect(try await relay.socket.send("/users")["users"]?.arrayValue?.count == 2, "the bot of before is there")
            await relay.socket.close()
            relay.program.send(.terminate)
            #expect(try await relay.program.exit() == 0, "\(relay.program.logTail())")
        }
    }
}
