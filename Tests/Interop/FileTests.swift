import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import SMPCrypto
import Testing
import XFTPProtocol

extension Interop {
    /// Files between both implementations, through the file routers of both.
    ///
    /// `PARLEY_FILE_SIZES` names other sizes, in bytes and separated by commas, for runs by hand.
    @Suite(.serialized, .enabled(if: PeerProgram.xftpServer.isInstalled, "SIMPLEX_PEERS names no folder with xftp-server"))
    struct Files {
        private static let sizes: [Int] = {
            let given = ProcessInfo.processInfo.environment["PARLEY_FILE_SIZES"]?.split(separator: ",").compactMap { Int($0) } ?? []
            return given.isEmpty ? [1, 65_536, 5 << 20] : given
        }()

        @Test(arguments: Meeting.allCases) func `Files of all sizes arrive byte-equal`(_ way: Meeting) async throws {
            let exchange = try await FileExchange.prepare(way)
            for size in Self.sizes {
                try await seen("file of \(size) bytes", "sent \(way.who)", through: way.router) {
                    let name = "file-\(size).bin"
                    try exchange.sender.make(name, size: size)
                    try await exchange.sender.offer(name)
                    let id = try await exchange.receiver.accept(name)
                    let received = try await exchange.receiver.received(id, within: .seconds(900))
                    #expect(try haveSameContent(received, exchange.sender.file(name)))
                    try await exchange.sender.fileEvent("sndFileCompleteXFTP")
                }
            }
            try await exchange.close()
        }

        @Test(arguments: Meeting.allCases) func `Recordings, videos and pictures arrive with their messages`(_ way: Meeting) async throws {
            let exchange = try await FileExchange.prepare(way)
            let preview = "data:image/jpg;base64,/9j/4AAQSkZJRgABAQAAAQABAAD/"
            let contents: [(String, String, JSONValue)] = [
                ("voice message", "voice.m4a", ["type": "voice", "text": "", "duration": 5]),
                ("video", "video.mp4", ["type": "video", "text": "watch", "image": .string(preview), "duration": 7]),
                ("picture", "picture.jpg", ["type": "image", "text": "look", "image": .string(preview)]),
            ]
            for (what, name, content) in contents {
                try await seen(what, "sent \(way.who)", through: way.router) {
                    try exchange.sender.make(name, size: 70_000)
                    try await exchange.sender.offer(name, content)
                    let id = try await exchange.receiver.accept(name)
                    let received = try await exchange.receiver.received(id)
                    #expect(try haveSameContent(received, exchange.sender.file(name)))
                    #expect(try await exchange.receiver.history(1).first?["content"]?["msgContent"]?["type"] == content["type"])
                }
            }
            try await exchange.close()
        }

        @Test(arguments: Meeting.allCases) func `Files that are encrypted on the disk of either side arrive`(_ way: Meeting) async throws {
            try await seen("file encrypted on the disks of both sides", "sent \(way.who)", through: way.router) {
                let exchange = try await FileExchange.prepare(way)
                let key = LocalFile.Key.random(SystemRandomSource())
                try exchange.sender.make("secret.bin", size: 100_000, key: key)
                try await exchange.sender.offer("secret.bin", key: key)
                let id = try await exchange.receiver.accept("secret.bin", options: " encrypt=on")
                let received = try await exchange.receiver.received(id)
                #expect(received.key != nil)
                #expect(try haveSameContent(received, exchange.sender.file("secret.bin", key: key)))
                try await exchange.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `Either side cancels`(_ way: Meeting) async throws {
            let exchange = try await FileExchange.prepare(way)
            try await seen("file cancelled by its sender", "sent \(way.who)", through: way.router) {
                try exchange.sender.make("a.bin", size: 3 << 20)
                let sent = try await exchange.sender.offer("a.bin")
                let id = try await exchange.receiver.offered("a.bin")
                try await exchange.sender.party.send("/fcancel \(sent.file)")
                try await exchange.receiver.expectCancelled(id)
            }
            try await seen("download cancelled, and accepted again", "sent \(way.who)", through: way.router) {
                try exchange.sender.make("b.bin", size: 12 << 20)
                try await exchange.sender.offer("b.bin")
                let id = try await exchange.receiver.accept("b.bin")
                try await exchange.receiver.fileEvent("rcvFileStart")
                let received = try await exchange.receiver.cancelAndAcceptAgain(id)
                #expect(try haveSameContent(received, exchange.sender.file("b.bin")))
            }
            try await exchange.close()
        }

        enum Restarted: String, CaseIterable, Sendable { case sender, receiver, router }

        @Test(arguments: Meeting.allCases, Restarted.allCases)
        func `A transfer goes on after a restart in the middle`(_ way: Meeting, _ restarted: Restarted) async throws {
            try await seen("restart of the \(restarted.rawValue) during a transfer", "sent \(way.who)", through: way.router) {
                let exchange = try await FileExchange.prepare(way)
                try exchange.sender.make("large.bin", size: 30 << 20)
                try await exchange.sender.offer("large.bin")
                try await exchange.sender.fileEvent("sndFileProgressXFTP")
                if restarted == .sender {
                    try await exchange.sender.party.leave()
                    try await exchange.sender.party.comeBack()
                } else if restarted == .router {
                    await exchange.files.end(.interrupt)
                    try await exchange.files.run()
                }
                let id = try await exchange.receiver.accept("large.bin")
                try await exchange.receiver.fileEvent("rcvFileProgressXFTP")
                if restarted == .receiver {
                    try await exchange.receiver.party.leave()
                    try await exchange.receiver.party.comeBack()
                } else if restarted == .router {
                    await exchange.files.end(.interrupt)
                    try await exchange.files.run()
                }
                let received = try await exchange.receiver.received(id)
                #expect(try haveSameContent(received, exchange.sender.file("large.bin")))
                try await exchange.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A file on an unknown router is received once it is approved`(_ way: Meeting) async throws {
            try await seen("file on a router that the receiver does not know", "sent \(way.who)", through: way.router) {
                let known = try await way.router.fileRouter()
                let exchange = try await FileExchange.prepare(way, receiverKnows: known)
                try exchange.sender.make("a.bin", size: 1_000)
                try await exchange.sender.offer("a.bin")
                let refusal = await #expect(throws: PeerError.self) { _ = try await exchange.receiver.accept("a.bin") }
                let error = refusal?.response?["chatError"]?["errorType"]
                #expect(error?["type"] == "fileNotApproved")
                let id = try #require(error?["fileId"]?.intValue)
                try await exchange.receiver.party.send("/freceive \(id) approved_relays=on")
                let received = try await exchange.receiver.received(id)
                #expect(try haveSameContent(received, exchange.sender.file("a.bin")))
                try await exchange.close()
                await known.end(.kill)
            }
        }

        @Test(arguments: Meeting.allCases) func `A file reaches all members of a group, and one who joins later`(_ way: Meeting) async throws {
            let files = try await way.router.fileRouter()
            let group = try await Gathering.prepare(
                way, profile: ["groupPreferences": ["history": ["enable": "on"]]], fileServers: [files.address])
            try await seen("file in a group of three", "sent \(way.who)", through: way.router) {
                try await group.joinAll()
                for speaker in [group.host, group.guest] {
                    let name = "\(speaker.name).bin"
                    try Side(party: speaker, contact: 0).make(name, size: 300_000)
                    let message: JSONValue = ["msgContent": ["type": "file", "text": ""], "fileSource": ["filePath": .string(name)], "mentions": [:]]
                    try await speaker.send("/_send #1 json \(JSONValue.array([message]).text)")
                    for listener in group.parties where listener.name != speaker.name {
                        try await receive(name, at: listener, like: Side(party: speaker, contact: 0).file(name))
                    }
                }
            }
            // The history passes on the description that the host itself has used.
            try await seen("file in the history of a group", "hosted \(way.who)", through: way.router) {
                let late = try await way.host.other.party("lena", servers: [group.router.address], fileServers: [files.address])
                try await group.join(late)
                for speaker in [group.host, group.guest] {
                    try await receive("\(speaker.name).bin", at: late, like: Side(party: speaker, contact: 0).file("\(speaker.name).bin"))
                }
                try await late.leave()
            }
            try await group.close()
            await files.end(.kill)
        }

        private func receive(_ name: String, at party: any Party, like original: LocalFile) async throws {
            let id = try await party.event("rcvFileDescrReady") { event -> Int64? in
                let file = event["chatItem"]?["chatItem"]?["file"]
                return file?["fileName"]?.stringValue == name ? file?["fileId"]?.intValue : nil
            }
            try await party.send("/freceive \(id)")
            #expect(try haveSameContent(try await Side(party: party, contact: 0).received(id), original))
        }

        @Test(arguments: Implementation.allCases) func `The test of a file router passes and fails like the official client's`(_ router: Implementation)
            async throws
        {
            try await seen("test of a file router", "by Parley", through: router) {
                let files = try await router.fileRouter()
                let smp = try await Stage.shared.router(router)
                let parley = try await Implementation.parley.party("pablo", servers: [smp.address])
                let official = try await Implementation.official.party("olga", servers: [smp.address])
                var answers: [[JSONValue]] = []
                for party in [parley, official] {
                    var found: [JSONValue] = []
                    // The second has another key than the router.
                    for address in [files.address, "xftp://" + String(repeating: "A", count: 43) + "=" + files.address.drop { $0 != "@" }] {
                        let answer = try await party.send("/_server test 1 \(address)")
                        found.append(answer["testFailure"]?["testStep"] ?? .null)
                    }
                    answers.append(found)
                }
                #expect(answers[0] == [.null, "connect"])
                #expect(answers[0] == answers[1])
                for party in [parley, official] { try await party.leave() }
                await files.end(.kill)
            }
        }
    }
}
