import ChatProtocol
import Foundation
import OfficialPeers
import ProcessSupport
import Testing

extension Interop {
    /// The program `parley` as its users run it, with the official client on the other side.
    @Suite struct Program {
        private static let bots = """
            parley: 1
            profiles:
              shop:
                name: Shop
                bio: Ask me about orders
                address:
                  accept: automatic
                  welcome: Welcome to the shop
                rules:
                  - id: menu
                    when: { command: menu }
                    description: What there is
                    then: { reply: "Everything, {{ contact.name }}" }
                  - id: order
                    when: { pattern: "order ([0-9]+)" }
                    then:
                      - react: ✅
                      - reply: "Order {{ match.1 }} is on its way"
                  - id: edited
                    when: { edited: true }
                    then: { send: "You wrote {{ text }} instead" }
                  - id: deleted
                    when: { deleted: true }
                    then: { send: "You took something back" }
                  - id: reaction
                    when: { reaction: 👍 }
                    then: { send: "You liked it" }
              door:
                name: Door
                address: { accept: manual }
                rules:
                  - when: { request: true }
                    then: { accept: true }
                  - when: { connected: true }
                    then: { send: "Come in" }
              wall:
                name: Wall
                address: { accept: manual }
                rules:
                  - when: { request: true }
                    then: { reject: true }
            """

        @Test(arguments: Implementation.allCases) func `Bots of one process serve the official client`(_ router: Implementation) async throws {
            try await withBots(router) { host, olga in
                try await seen(
                    "`parley run`: welcome, bot profile, command menu, answers with quotes, reactions, edits and deletions noticed", "official client at a bot",
                    through: router
                ) {
                    let shop = try await olga.meet(host.address(of: "Shop"), "Shop")
                    try await shop.hear("Welcome to the shop")
                    let profile = try await shop.record()["profile"]
                    try #require(profile?["peerType"] == "bot")
                    let menu = profile?["preferences"]?["commands"]?.arrayValue ?? []
                    try #require(menu.contains { $0["keyword"] == "menu" && $0["label"] == "What there is" })
                    try await shop.say("/menu")
                    try await shop.hear("Everything, olga")
                    let order = try await shop.say("order 4711 please")
                    try await shop.party.event("chatItemReaction") { event in
                        event["reaction"]?["chatReaction"]?["chatItem"]?.itemID == order ? true : nil
                    }
                    let answer = try await shop.hear("Order 4711 is on its way")
                    try #require(answer["quotedItem"]?["itemId"]?.intValue == order)
                    try await shop.party.send(
                        #"/_reaction @\#(shop.contact) \#(try #require(answer.itemID)) on {"type":"emoji","emoji":"👍"}"#)
                    try await shop.hear("You liked it")
                    try await shop.party.send(#"/_update item @\#(shop.contact) \#(order) json {"msgContent":{"type":"text","text":"thanks"},"mentions":{}}"#)
                    try await shop.hear("You wrote thanks instead")
                    try await shop.party.send("/_delete item @\(shop.contact) \(order) broadcast")
                    try await shop.hear("You took something back")
                }
                try await seen(
                    "`parley run`: several bots in one process; requests accepted and rejected by rules", "official client at three bots", through: router
                ) {
                    let door = try await olga.meet(host.address(of: "Door"), "Door")
                    try await door.hear("Come in")
                    try await olga.send("/c \(host.address(of: "Wall"))")
                    // Whoever is turned away is not told: what can be seen is that the others answer and this one does not.
                    try await door.say("hello")
                    try #require(
                        try await olga.send("/_contacts 1")["contacts"]?.arrayValue?.contains {
                            $0["localDisplayName"] == "Wall" && $0["activeConn"]?["connStatus"]?["type"] == "ready"
                        } == false)
                }
            }
        }

        @Test(arguments: Implementation.allCases) func `A bot that is killed answers everything once when it is back`(_ router: Implementation) async throws {
            try await withBots(router) { host, olga in
                try await seen("`parley run` killed and started again: each message answered once, in order", "official client at a bot", through: router) {
                    let shop = try await olga.meet(host.address(of: "Shop"), "Shop")
                    for number in 1...3 {
                        try await shop.say("order \(number)")
                        if number == 2 { try await shop.hear("Order 2 is on its way") }
                    }
                    await host.process.stop(.kill)
                    for number in 4...6 { try await shop.say("order \(number)") }
                    let again = try await BotProgram(host.folder, servers: host.servers)
                    try #require(again.address(of: "Shop") == host.address(of: "Shop"))
                    try await shop.hear("Order 6 is on its way")
                    let answers = try await shop.history(40).filter(\.isReceived).compactMap(\.itemText).filter { $0.hasPrefix("Order") }
                    try #require(answers == (1...6).map { "Order \($0) is on its way" })
                    await again.process.stop()
                }
            }
        }

        @Test(arguments: Implementation.allCases) func `A person at a terminal talks to the official client`(_ router: Implementation) async throws {
            try await seen("`parley chat --exec`: connect by a one-time link, send, wait, come back later", "terminal and official client", through: router) {
                let server = try await Stage.shared.router(router)
                let olga = try await Implementation.official.party("olga", servers: [server.address])
                let folder = try ScratchFolder("parley-chat")
                func chat(_ lines: [String]) throws -> ChildProcess {
                    try ParleyProgram.start(
                        ["chat", "--data", folder.path + "/data", "--name", "pablo", "--server", server.address] + lines.flatMap { ["--exec", $0] },
                        log: folder.path + "/chat.log")
                }
                let first = try chat([":connect \(try await olga.invitation().full)", "hello from a terminal", ":wait 60"])
                let side = Side(party: olga, contact: try await olga.connected(to: "pablo"))
                try await side.hear("hello from a terminal")
                try await side.say("hello from the app")
                _ = try await first.output.first("the text", within: .seconds(60)) { $0.contains("hello from the app") ? true : nil }
                try #require(try await first.exit(within: .seconds(60)) == 0)
                try await side.say("while you were away")
                let second = try chat([":wait 60", "I am back"])
                _ = try await second.output.first("the text", within: .seconds(60)) { $0.contains("while you were away") ? true : nil }
                try await side.hear("I am back")
                try #require(try await second.exit(within: .seconds(60)) == 0)
                try await olga.leave()
            }
        }

        /// Runs the bots on the router inside their process, or on an official one, and an official client beside them.
        private func withBots(
            _ router: Implementation, _ body: (BotProgram, any Party) async throws -> Void
        ) async throws {
            let folder = try ScratchFolder("parley-bots")
            try Self.bots.write(toFile: folder.path + "/bots.yaml", atomically: true, encoding: .utf8)
            let servers = router == .official ? [try await Stage.shared.router(.official).address] : []
            let host = try await BotProgram(folder, servers: servers)
            let olga = try await Implementation.official.party("olga", servers: host.routers)
            try await body(host, olga)
            try await olga.leave()
            await host.process.stop()
        }
    }
}

/// `parley run` on a folder with a `bots.yaml`.
struct BotProgram {
    let process: ChildProcess
    let folder: ScratchFolder
    let servers: [String]
    /// The routers that the bots use: those given, or the one inside the process.
    let routers: [String]
    private let profiles: [ReadyLine.Profile]

    init(_ folder: ScratchFolder, servers: [String]) async throws {
        (self.folder, self.servers) = (folder, servers)
        process = try ParleyProgram.start(
            ["run", folder.path + "/bots.yaml", "--data", folder.path + "/data", "--json"] + servers.flatMap { ["--server", $0] },
            log: folder.path + "/parley.log")
        let ready = try await process.ready()
        routers = ready.servers ?? []
        profiles = ready.profiles ?? []
    }

    /// The short address of a bot.
    func address(of name: String) -> String {
        profiles.first { $0.name == name }?.shortAddress ?? ""
    }
}

extension Party {
    /// Connects by an address.
    func meet(_ address: String, _ name: String) async throws -> Side {
        try await send("/c \(address)")
        return Side(party: self, contact: try await connected(to: name))
    }
}
