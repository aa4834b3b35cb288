import ChatProtocol
import ProcessSupport
import SMPAgent
import SMPWire
import Testing

extension Interop {
    /// End-to-end encryption as both sides report and verify it.
    @Suite struct Encryption {
        @Test(arguments: Meeting.allCases) func `Post-quantum encryption is on in both directions, and both sides say so`(_ way: Meeting) async throws {
            try await seen("post-quantum encryption, both directions, reported by both", "one-time link \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                // The ratchet has both keys after a message each way.
                try await converse(host, guest, "one")
                try await converse(host, guest, "two")
                for side in [host, guest] {
                    let connection = try #require(try await side.record()["activeConn"])
                    for flag in ["pqSupport", "pqEncryption", "pqSndEnabled", "pqRcvEnabled"] {
                        try #require(connection[flag]?.boolValue == true, "\(flag) of \(side.name)")
                    }
                    let info = try await side.history(30).first { $0["content"]?["type"]?.stringValue == "rcvDirectE2EEInfo" }
                    try #require(info?["content"]?["e2eeInfo"]?["pqEnabled"]?.boolValue == true, "what \(side.name) shows in the chat")
                }
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A connection made by a program without post-quantum encryption gets it later`(_ way: Meeting) async throws {
            try await seen("upgrade of an old connection to post-quantum encryption", "one-time link \(way.who)", through: way.router) {
                let router = try await Stage.shared.router(way.router)
                // Parley is an old program at first.
                var old = AgentConfiguration()
                old.ratchetVersions = VersionRange(2)
                let parley = try await ParleyParty("pia", servers: [router.address], agent: old)
                let official = try await Implementation.official.party("olaf", servers: [router.address])
                let (host, guest): (any Party, any Party) = way.host == .parley ? (parley, official) : (official, parley)
                let encounter = Encounter(router: router, host: host, guest: guest)
                let (one, two) = try await encounter.connect()
                for round in 1...2 { try await converse(one, two, "before \(round)") }
                for side in [one, two] {
                    let connection = try #require(try await side.record()["activeConn"])
                    for flag in ["pqSndEnabled", "pqRcvEnabled"] {
                        try #require(connection[flag]?.boolValue != true, "\(flag) of \(side.name) before")
                    }
                }
                try await parley.leave()
                try await parley.comeBack()
                // The version, a key, its answer, and a message under both.
                for round in 1...4 { try await converse(one, two, "after \(round)") }
                for side in [one, two] {
                    let connection = try #require(try await side.record()["activeConn"])
                    for flag in ["pqSupport", "pqEncryption", "pqSndEnabled", "pqRcvEnabled"] {
                        try #require(connection[flag]?.boolValue == true, "\(flag) of \(side.name) after")
                    }
                    try await side.party.event("contactPQEnabled") { $0["pqEnabled"]?.boolValue == true ? true : nil }
                }
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `Both sides show the same security code, and can confirm it`(_ way: Meeting) async throws {
            try await seen("security codes equal, and verified", way.who, through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                let code = try #require(try await host.party.send("/_get code @\(host.contact)")["connectionCode"]?.stringValue)
                try #require(try await guest.party.send("/_get code @\(guest.contact)")["connectionCode"]?.stringValue == code)
                for side in [host, guest] {
                    try #require(try await side.party.send("/_verify code @\(side.contact) \(code)")["verified"]?.boolValue == true)
                    try #require(try await side.party.send("/_verify code @\(side.contact) 12345")["verified"]?.boolValue == false)
                }
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A connection moves to another queue while messages go on`(_ way: Meeting) async throws {
            try await seen("queue rotation", "begun \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                try await converse(host, guest, "before")
                try await host.party.send("/_switch @\(host.contact)")
                try await guest.say("meanwhile")
                try await host.hear("meanwhile")
                for side in [host, guest] {
                    try await side.party.event("contactSwitch") { event in
                        event["switchProgress"]?["switchPhase"]?.stringValue == "completed" ? true : nil
                    }
                }
                try await converse(host, guest, "after")
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `Messages that are on their way while a connection moves come once and in order`(_ way: Meeting) async throws {
            try await seen("queue rotation in the midst of messages both ways", "begun \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                let count = 100
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for side in [host, guest] {
                        group.addTask { for number in 1...count { try await side.say("number \(number)") } }
                    }
                    try await guest.hear("number 10")
                    try await host.party.send("/_switch @\(host.contact)")
                    for side in [host, guest] {
                        try await side.party.event("contactSwitch", within: .seconds(180)) { event in
                            event["switchProgress"]?["switchPhase"]?.stringValue == "completed" ? true : nil
                        }
                    }
                    try await group.waitForAll()
                }
                for side in [host, guest] {
                    try await side.hear("number \(count)")
                    let heard = try await side.history(3 * count).filter(\.isReceived).compactMap(\.itemText).filter { $0.hasPrefix("number ") }
                    try #require(heard == (1...count).map { "number \($0)" }, "what \(side.name) has")
                }
                try await encounter.close()
            }
        }

        @Test(arguments: Implementation.allCases) func `A queue moves to a router of another implementation, where there is a choice`(host: Implementation)
            async throws
        {
            let who = host == .official ? "begun by the official client" : "begun by Parley"
            for router in Implementation.allCases {
                try await seen("queue rotation to another router", who, through: router) {
                    let first = try await Stage.shared.router(router)
                    let second = try await Stage.shared.router(router.other)
                    let hanna = try await host.party("hanna", servers: [first.address, second.address])
                    let gustav = try await host.other.party("gustav", servers: [first.address])
                    try await gustav.send("/c \(try await hanna.invitation().full)")
                    let host = Side(party: hanna, contact: try await hanna.connected(to: gustav.name))
                    let guest = Side(party: gustav, contact: try await gustav.connected(to: hanna.name))
                    let before = try await host.receiveServer()
                    // Both routers have the same host here, so that neither implementation prefers the other one.
                    for _ in 1...12 where try await host.receiveServer() == before {
                        try await hanna.send("/_switch @\(host.contact)")
                        for side in [host, guest] {
                            try await side.party.event("contactSwitch") { event in
                                event["switchProgress"]?["switchPhase"]?.stringValue == "completed" ? true : nil
                            }
                        }
                    }
                    try #require(try await host.receiveServer() != before)
                    try await converse(host, guest, "after")
                    try await hanna.leave()
                    try await gustav.leave()
                }
            }
        }

        @Test(arguments: Meeting.allCases) func `Keys are agreed anew on request`(_ way: Meeting) async throws {
            try await seen("ratchet re-synchronisation, forced", "begun \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                try await converse(host, guest, "before")
                let code = try await host.party.send("/_get code @\(host.contact)")["connectionCode"]
                try await host.party.send("/_sync @\(host.contact) force=on")
                for side in [host, guest] { try await side.synchronized() }
                try await converse(host, guest, "after")
                let codes = try await (
                    host.party.send("/_get code @\(host.contact)")["connectionCode"],
                    guest.party.send("/_get code @\(guest.contact)")["connectionCode"]
                )
                try #require(codes.0 == codes.1)
                try #require(codes.0 != code)
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `Keys are agreed anew after one side has gone back to a backup`(_ way: Meeting) async throws {
            try await seen("ratchet re-synchronisation after a restored backup", "restored and asked for \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                try await converse(host, guest, "before")
                try await host.party.leave()
                let backup = try Backup(of: host.party.folder)
                try await host.party.comeBack()
                for round in 1...3 { try await converse(host, guest, "round \(round)") }
                try await host.party.leave()
                try backup.restore(to: host.party.folder)
                try await host.party.comeBack()
                try await guest.say("which cannot be read")
                // Which of the two it is depends on what of the other side's messages is read first.
                try await host.party.event("contactRatchetSync") { event in
                    let status = event["ratchetSyncProgress"]?["ratchetSyncStatus"]?.stringValue
                    return status == "required" || status == "allowed" ? true : nil
                }
                try await host.party.send("/_sync @\(host.contact)")
                for side in [host, guest] { try await side.synchronized() }
                try await converse(host, guest, "after")
                try await encounter.close()
            }
        }
    }
}

extension Side {
    /// The router that this side receives from.
    fileprivate func receiveServer() async throws -> String {
        let stats = try await party.send("/_info @\(contact)")["connectionStats_"]
        return try #require(stats?["rcvQueuesInfo"]?.arrayValue?.first?["rcvServer"]?.stringValue)
    }

    /// Waits until the keys of the connection are agreed anew.
    func synchronized() async throws {
        try await party.event("contactRatchetSync") { event in
            event["ratchetSyncProgress"]?["ratchetSyncStatus"]?.stringValue == "ok" ? true : nil
        }
    }
}
