internal import ChatProtocol
internal import Foundation
internal import Parley

/// The JSON by which a webhook reports an event.
enum WebhookEvent {
    /// Bytes of a text that are sent at the most.
    static let longestText = 4_000

    static func json(_ context: RuleActionContext, id: String, includesText: Bool) -> String {
        let input = context.input
        var members: [(String, JSONValue)] = [
            ("id", .string(id)), ("event", .string(input.event.rawValue)), ("time", .string(context.client.now.formatted(.iso8601))),
            ("profile", .string(context.client.bot.id)), ("rule", .string(context.rule)), ("chat", chat(context)), ("person", person(context)),
        ]
        if let message = message(input, includesText: includesText) { members.append(("message", message)) }
        if let emoji = input.emoji { members.append(("reaction", .string(emoji))) }
        if let change = input.change { members.append(("change", .string(change.rawValue))) }
        if let error = input.error { members.append(("error", .string(error))) }
        if let points = input.points ?? context.values.points { members.append(("points", .int(points))) }
        return JSONValue.object(JSONObject(members)).text
    }

    private static func chat(_ context: RuleActionContext) -> JSONValue {
        let kind: String =
            switch context.chat.kind {
            case .groups: "group"
            case .supportChats: "support"
            case .businessChats: "business"
            default: "contact"
            }
        return ["kind": .string(kind), "id": .string(context.chat.reference.map { "\($0)" } ?? ""), "name": .string(context.chat.name)]
    }

    private static func person(_ context: RuleActionContext) -> JSONValue {
        var members: [(String, JSONValue)] = [
            ("id", .string(context.person.description)), ("name", .string(context.input.displayName ?? context.values.contactName)),
        ]
        if let role = context.input.role { members.append(("role", .string(role.code))) }
        return .object(JSONObject(members))
    }

    private static func message(_ input: RuleInput, includesText: Bool) -> JSONValue? {
        guard input.kind != nil || input.event.hasText else { return nil }
        var members: [(String, JSONValue)] = []
        if let kind = input.kind { members.append(("kind", .string(kind.rawValue))) }
        if includesText {
            let isCut = input.text.utf8.count > longestText
            members.append(("text", .string(input.text.prefix(bytes: longestText))))
            if isCut { members.append(("truncated", true)) }
        }
        if let file = input.file { members.append(("file", ["name": .string(file.name), "size": .int(file.size)])) }
        return .object(JSONObject(members))
    }
}
