internal import Logging
internal import Parley

/// The owner of a failed action.
enum ActionPlace: Sendable {
    case rule(String)
    case form(String)
    case schedule(String)

    /// The kind, as logs and the labels of failures name it.
    var kind: String {
        switch self {
        case .rule: "rule"
        case .form: "form"
        case .schedule: "schedule"
        }
    }

    /// The code of an error that has none.
    fileprivate var code: String { if case .schedule = self { "rules.schedule" } else { "rules.action" } }

    var name: String {
        switch self {
        case .rule(let name), .form(let name), .schedule(let name): name
        }
    }

    /// The place as failures are listed: rules by their labels, and the rest with its kind.
    fileprivate var label: String { if case .rule(let name) = self { name } else { "\(kind) \(name)" } }
}

extension BotClient {
    /// Counts and logs a failed action whose form or schedule continues: in `/metrics`, in `parley top`, and as one kind of record.
    ///
    /// - Parameters:
    ///   - action: the key of the action.
    ///   - chat: the chat that it was for, as the file names it.
    func noteFailure(_ error: any Error, of place: ActionPlace, action: String, chat: String? = nil, _ logger: Logger) {
        let code = ErrorCode.of(error) ?? place.code
        noteFailure(code, at: "\(place.label): \(action)")
        var metadata: Logger.Metadata = ["code": "\(code)", "\(place.kind)": "\(place.name)", "action": "\(action)", "error": "\(error)"]
        if let chat { metadata["chat"] = "\(chat)" }
        logger.error("an action of a \(place.kind) failed", metadata: metadata)
    }
}
