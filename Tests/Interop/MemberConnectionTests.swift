import ChatProtocol
import Testing

extension Interop {
    /// The connections between members, and their encryption.
    @Suite struct MemberConnections {
        @Test(arguments: Meeting.allCases)
        func `A member's connection moves to another queue`(_ way: Meeting) async throws {
            try await seen("group: queue rotation with a member", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for pair in group.mixedPairs {
                    try await pair.one.send("/_switch #1 \(try await pair.idOfOther())")
                    for party in [pair.one, pair.other] {
                        try await party.event("groupMemberSwitch") { event in
                            event["switchProgress"]?["switchPhase"]?.stringValue == "completed" ? true : nil
                        }
                    }
                    try await pair.converse("after the move")
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Members see the same security code, which keys that are agreed anew change`(_ way: Meeting) async throws {
            try await seen("group: security code of a member, verified, and changed with the keys", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for pair in group.mixedPairs {
                    let code = try await pair.code()
                    for (party, other) in [(pair.one, pair.other), (pair.other, pair.one)] {
                        let id = try await group.memberID(other.name, at: party)
                        try #require(try await party.send("/_verify code #1 \(id) 12345")["verified"]?.boolValue == false)
                        try #require(try await party.send("/_verify code #1 \(id) \(code)")["verified"]?.boolValue == true)
                        try #require(try await pair.verified(other, by: party) == code)
                    }
                    try await pair.one.send("/_sync #1 \(try await pair.idOfOther()) force=on")
                    try await pair.synchronized()
                    try await pair.converse("with new keys")
                    try #require(try await pair.code() != code)
                    for (party, other) in [(pair.one, pair.other), (pair.other, pair.one)] {
                        try #require(try await pair.verified(other, by: party) == nil, "what \(party.name) has verified")
                    }
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `Members agree on new keys after one has gone back to a backup`(_ way: Meeting) async throws {
            try await seen("group: ratchet re-synchronisation with a member after a restored backup", "asked for \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.join(group.guest)
                let pair = MixedPair(group: group, one: group.host, other: group.guest)
                try await pair.converse("before")
                try await group.host.leave()
                let backup = try Backup(of: group.host.folder)
                try await group.host.comeBack()
                for round in 1...3 { try await pair.converse("round \(round)") }
                try await group.host.leave()
                try backup.restore(to: group.host.folder)
                try await group.host.comeBack()
                try await group.say("which cannot be read", as: group.guest)
                // Which of the two it is depends on what of the other side's messages is read first.
                try await group.host.event("groupMemberRatchetSync") { event in
                    let status = event["ratchetSyncProgress"]?["ratchetSyncStatus"]?.stringValue
                    return status == "required" || status == "allowed" ? true : nil
                }
                try await group.host.send("/_sync #1 \(try await pair.idOfOther())")
                try await pair.synchronized()
                try await pair.converse("after")
                _ = try await pair.code()
                try await group.close()
            }
        }
    }
}

/// Two members of different implementations.
private struct MixedPair {
    let group: Gathering
    /// The one who begins.
    let one: any Party
    let other: any Party

    func idOfOther() async throws -> Int64 { try await group.memberID(other.name, at: one) }

    /// The security code, the same at both.
    func code() async throws -> String {
        let codes = try await (
            one.send("/_get code #1 \(group.memberID(other.name, at: one))")["connectionCode"]?.stringValue,
            other.send("/_get code #1 \(group.memberID(one.name, at: other))")["connectionCode"]?.stringValue
        )
        try #require(codes.0 == codes.1)
        return try #require(codes.0)
    }

    /// Waits until the keys are agreed anew.
    func synchronized() async throws {
        for party in [one, other] {
            try await party.event("groupMemberRatchetSync") { event in
                event["ratchetSyncProgress"]?["ratchetSyncStatus"]?.stringValue == "ok" ? true : nil
            }
        }
    }

    /// The code that a party has confirmed of a member.
    func verified(_ member: any Party, by party: any Party) async throws -> String? {
        try await group.members(at: party)[member.name]?["activeConn"]?["connectionCode"]?["securityCode"]?.stringValue
    }

    /// Has each of the two write to the group, and the other read it.
    func converse(_ text: String) async throws {
        for (speaker, listener) in [(one, other), (other, one)] {
            let line = "\(text), says \(speaker.name) to \(listener.name)"
            try await group.say(line, as: speaker)
            try await group.hear(line, as: listener)
        }
    }
}

extension Gathering {
    /// The host with the guest, and the guest with the third one.
    fileprivate var mixedPairs: [MixedPair] {
        [MixedPair(group: self, one: host, other: guest), MixedPair(group: self, one: guest, other: third)]
    }
}
