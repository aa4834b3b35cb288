import ChatProtocol
import TestSupport
import Testing

extension Interop {
    /// How far a message to a group has come at each member.
    @Suite struct GroupReceipts {
        @Test(arguments: Meeting.allCases)
        func `The writer sees which members have a message, and which are away`(_ way: Meeting) async throws {
            try await seen("group: receipts, delivery status of each member", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for (writer, absent) in [(group.host, group.guest), (group.guest, group.host)] {
                    let others = group.parties.filter { $0.name != writer.name }
                    let first = try await group.say("to all by \(writer.name)", as: writer)
                    try await group.received(first, .complete, by: writer)
                    try #require(try await group.delivery(of: first, by: writer) == Dictionary(uniqueKeysWithValues: others.map { ($0.name, "rcvd") }))

                    try await absent.leave()
                    let second = try await group.say("to those who are there by \(writer.name)", as: writer)
                    try await group.received(second, .partial, by: writer)
                    let expected = [absent.name: "sent", group.third.name: "rcvd"]
                    try await eventually("\(writer.name) knows who has the message") { try await group.delivery(of: second, by: writer) == expected }

                    try await absent.comeBack()
                    try await group.received(second, .complete, by: writer)
                    try #require(try await group.delivery(of: second, by: writer)[absent.name] == "rcvd")
                }
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A message to a member that is not connected yet is shown as left to the host`(_ way: Meeting) async throws {
            try await seen("group: delivery status of a message that the host forwards", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.join(group.guest)
                try await group.guest.leave()
                try await group.join(group.third)
                try await eventually("the newcomer has invited the one who is away") {
                    try await group.members(at: group.third)["gustav"]?["memberStatus"]?.stringValue == "intro-inv"
                }
                let sent = try await group.say("passed on by the host", as: group.third)
                try await group.received(sent, .partial, by: group.third)
                try #require(try await group.delivery(of: sent, by: group.third) == ["hanna": "rcvd", "gustav": "forwarded"])
                try await group.guest.comeBack()
                try await group.hear("passed on by the host", as: group.guest)
                try await group.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `A member who sends no receipts in groups is shown as sent to`(_ way: Meeting) async throws {
            try await seen("group: receipts switched off by a member", "hosted \(way.who)", through: way.router) {
                let group = try await Gathering.prepare(way)
                try await group.joinAll()
                for (writer, silent) in [(group.host, group.guest), (group.guest, group.host)] {
                    try await silent.send("/_set receipts groups 1 off")
                    let text = "no answer to \(writer.name)"
                    let sent = try await group.say(text, as: writer)
                    try await group.hear(text, as: silent)
                    try await group.received(sent, .partial, by: writer)
                    let expected = [silent.name: "sent", group.third.name: "rcvd"]
                    try await eventually("\(writer.name) knows who has the message") { try await group.delivery(of: sent, by: writer) == expected }
                    try await silent.send("/_set receipts groups 1 on")
                }
                try await group.close()
            }
        }
    }
}

extension Gathering {
    fileprivate enum Progress: String { case partial, complete }

    /// Waits until some or all members have said that they have a message.
    fileprivate func received(_ item: Int64, _ progress: Progress, by writer: any Party) async throws {
        _ = try await self.item("chatItemsStatusesUpdated", as: writer) { shown in
            let status = shown["meta"]?["itemStatus"]
            return shown.itemID == item && status?["type"]?.stringValue == "sndRcvd" && status?["sndProgress"]?.stringValue == progress.rawValue
        }
    }

    /// How far a message has come at each member.
    fileprivate func delivery(of item: Int64, by writer: any Party) async throws -> [String: String] {
        let info = try await writer.send("/_get item info #1 \(item)")["chatItemInfo"]
        let names = Dictionary(
            try await members(at: writer).compactMap { name, member in member["groupMemberId"]?.intValue.map { ($0, name) } }, uniquingKeysWith: { $1 })
        return Dictionary(
            (info?["memberDeliveryStatuses"]?.arrayValue ?? []).compactMap { status in
                guard let id = status["groupMemberId"]?.intValue, let name = names[id] else { return nil }
                return status["memberDeliveryStatus"]?["type"]?.stringValue.map { (name, $0) }
            }, uniquingKeysWith: { $1 })
    }
}
