internal import ChatProtocol
internal import Parley

/// A message that is not an answer: a text, or a file with an optional text.
public enum RuleMessage: Sendable, Hashable {
    case text(Template)
    case file(RuleFile)

    /// Reads a text, or a mapping of a file.
    init?(_ reader: NodeReader, _ scope: TemplateScope) {
        if let keys = reader.keys, keys.contains(where: Schemas.sendFile.names.contains) {
            guard let file = reader.mapping().flatMap({ RuleFile($0, scope) }) else { return nil }
            self = .file(file)
        } else {
            guard let text = Template(reader, scope) else { return nil }
            self = .text(text)
        }
    }

    /// The text; nil for a file.
    var template: Template? { if case .text(let template) = self { template } else { nil } }

    /// The text, or the name of the file, as tests see it.
    func detail(_ values: TemplateValues) -> String {
        switch self {
        case .text(let template): template.filled(with: values)
        case .file(let file): file.name
        }
    }
}

/// A message to many chats.
struct BroadcastSpec: Sendable, Hashable {
    /// The message.
    let message: RuleMessage
    /// The chats that get it.
    let target: ScheduleSpec.Target

    /// Reads a text to all contacts, or a mapping.
    init?(_ reader: NodeReader, _ scope: TemplateScope) {
        guard reader.keys != nil else {
            guard let text = Template(reader, scope) else { return nil }
            (message, target) = (.text(text), .contacts)
            return
        }
        guard let mapping = reader.mapping() else { return nil }
        let target = mapping.value("to").map(ScheduleSpec.target) ?? .contacts
        let message: RuleMessage?
        if RuleFile.keys.contains(where: { mapping.value($0) != nil }) {
            message = RuleFile(mapping, scope, schema: BroadcastAction.mapping).map(RuleMessage.file)
        } else {
            mapping.refuseKeys(otherThan: BroadcastAction.mapping)
            for key in ["seconds", "thumbnail", "original"] {
                mapping.value(key)?.report(.badValue, "a text has no \(key)", hint: "leave it out, or name a file")
            }
            message = mapping.required("text", hint: "write the text, or name a file, image, voice or video").flatMap { Template($0, scope) }
                .map(RuleMessage.text)
        }
        guard let message, let target else { return nil }
        (self.message, self.target) = (message, target)
    }
}
