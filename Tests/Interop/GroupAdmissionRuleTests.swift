import ChatProtocol
import Testing

extension Interop {
    /// A host that is Parley answers those who join by a link by rules; official hosts have none.
    @Suite struct GroupAdmissionRules {
        private static let ways = Meeting.allCases.filter { $0.host == .parley }

        @Test(arguments: ways)
        func `Who is refused by a rule is told so, and others join`(_ way: Meeting) async throws {
            try await seen("group: request to join refused by a rule of the link", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.admit(#"{"rules":[{"nameContains":["GUST"],"decision":{"type":"reject","reason":"blocked_name"}}]}"#)
                try await group.guest.send("/c \(group.link)")
                let rejection = try await group.guest.event("terminalEvent") { $0["data"]?["type"] == "groupLinkRejected" ? $0["data"] : nil }
                try #require(rejection["groupRejectionReason"]?["type"]?.stringValue ?? rejection["groupRejectionReason"]?.stringValue == "blocked_name")
                try #require(try await group.membership(at: group.guest) == "rejected")
                try await group.join(group.third)
                let members = try await group.members(at: group.third)
                try #require(members["gustav"] == nil)
                try await group.say("hello", as: group.third)
                try await group.hear("hello", as: group.host)
                try await group.close()
            }
        }

        @Test(arguments: ways)
        func `Whom a rule has wait talks to the host alone, and is let in by it`(_ way: Meeting) async throws {
            try await seen("group: request to join held by a rule of the link until the host approves", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.join(group.third)
                try await group.admit(#"{"rules":[{"nameContains":["gust"],"decision":{"type":"pendingApproval"}}]}"#)
                try await group.join(group.guest)
                let waiting = try await group.memberID("gustav", at: group.host)
                try #require(try await group.members(at: group.host)["gustav"]?["memberStatus"]?.stringValue == "pending_approval")
                try #require(try await group.membership(at: group.guest) == "pending_approval")
                try await group.say("who are you?", as: group.host, scope: "(_support:\(waiting))")
                try await group.hear("who are you?", as: group.guest)
                try await group.say("I am gustav", as: group.guest, scope: "(_support)")
                try await group.hear("I am gustav", as: group.host)
                try #require(try await group.members(at: group.third)["gustav"] == nil)
                try await group.host.send("/_accept member #1 \(waiting) member")
                try await group.guest.event("userJoinedGroup")
                try await group.third.meets("gustav")
                try await group.say("hello", as: group.guest)
                for listener in [group.host, group.third] { try await group.hear("hello", as: listener) }
                try await group.close()
            }
        }
    }
}

extension Gathering {
    /// Sets the rules of the host's link.
    fileprivate func admit(_ rules: String) async throws { try await host.send("/_set link admission #1 \(rules)") }

    /// The state of a party's own membership.
    fileprivate func membership(at party: any Party) async throws -> String? {
        try await party.send("/_members #1")["group"]?["groupInfo"]?["membership"]?["memberStatus"]?.stringValue
    }
}
