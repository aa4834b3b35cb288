extension MessageContent {
    /// The texts beside the typed one that people see of the content or open by it: the address, title and description of a link preview, the link and
    /// the profile of a shared contact or group, and all texts of members and kinds that are not known. Pictures are not among them.
    public var attachedTexts: [String] {
        let known =
            switch kind {
            case .link(_, let preview): Self.present(preview.uri, preview.title, preview.description)
            case .chat(_, let link, _): link.texts
            case .unknown(_, _, let object): Self.texts(of: object)
            case .text, .image, .video, .voice, .file, .report: [String]()
            }
        return unknownMembers.isEmpty ? known : known + Self.texts(of: unknownMembers)
    }

    fileprivate static func present(_ texts: String?...) -> [String] { texts.compactMap { $0 == "" ? nil : $0 } }

    /// The texts of an object, without its type and the text that is shown instead of it.
    fileprivate static func texts(of object: JSONObject) -> [String] {
        var texts: [String] = []
        for (key, value) in object.members where key != "type" && key != "text" { collect(value, into: &texts) }
        return texts
    }

    private static func collect(_ value: JSONValue, into texts: inout [String]) {
        switch value {
        case .string(let text): if !text.isEmpty, !text.hasPrefix("data:") { texts.append(text) }
        case .array(let values): for value in values { collect(value, into: &texts) }
        case .object(let object): for (_, value) in object.members { collect(value, into: &texts) }
        default: break
        }
    }
}

extension MessageChatLink {
    /// The link, and what people see of the profile behind it.
    fileprivate var texts: [String] {
        switch self {
        case .contact(let link, let profile, _, _), .invitation(let link, let profile, _):
            MessageContent.present(link, profile.displayName, profile.fullName, profile.shortDescription, profile.contactLink)
        case .group(let link, let profile, _):
            MessageContent.present(
                link, profile.displayName, profile.fullName, profile.shortDescription, profile.description, profile.publicGroup?.groupLink)
        case .unknown(_, let members): MessageContent.texts(of: members)
        }
    }
}
