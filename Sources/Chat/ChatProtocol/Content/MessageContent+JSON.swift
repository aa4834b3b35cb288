extension MessageContent {
    /// Reads the members of an object.
    public init(object: JSONObject) throws(JSONError) {
        let type: MessageContentType = try object.required("type")
        if case .unknown(let tag) = type {
            self.init(.unknown(tag: tag, text: object["text"]?.stringValue ?? Self.unknownText, object))
            return
        }
        let text: String = try object.required("text")
        switch type {
        case .link: self.init(.link(text: text, preview: try object.required("preview")))
        case .image: self.init(.image(text: text, image: try object.required("image")))
        case .video: self.init(.video(text: text, image: try object.required("image"), duration: try object.required("duration")))
        case .voice: self.init(.voice(text: text, duration: try object.required("duration")))
        case .file: self.init(.file(text))
        case .report: self.init(.report(text: text, reason: try object.required("reason")))
        case .chat:
            self.init(.chat(text: text, link: try object.required("chatLink"), ownerSignature: try object.optional("ownerSig")))
        case .text, .unknown: self.init(.text(text))
        }
        unknownMembers = object.unknown(to: memberNames)
    }

    /// The names of the members that this version knows of the kind.
    private var memberNames: [String] {
        switch kind {
        case .text, .file: ["type", "text"]
        case .link: ["type", "text", "preview"]
        case .image: ["type", "text", "image"]
        case .video: ["type", "text", "image", "duration"]
        case .voice: ["type", "text", "duration"]
        case .report: ["type", "text", "reason"]
        case .chat: ["type", "text", "chatLink", "ownerSig"]
        case .unknown(_, _, let members): members.keys
        }
    }

    /// Sets the members of an object.
    public func write(into object: inout JSONObjectWriter) {
        if case .unknown(_, _, let members) = kind { return object.replace(with: .object(members)) }
        object.add("type", type)
        object.add("text", text)
        switch kind {
        case .text, .file, .unknown: break
        case .link(_, let preview): object.add("preview", preview)
        case .image(_, let image): object.add("image", image)
        case .video(_, let image, let duration):
            object.add("image", image)
            object.add("duration", duration)
        case .voice(_, let duration): object.add("duration", duration)
        case .report(_, let reason): object.add("reason", reason)
        case .chat(_, let link, let signature):
            object.add("chatLink", link)
            object.add("ownerSig", signature)
        }
        if !unknownMembers.isEmpty { object.add(unknown: unknownMembers, to: memberNames) }
    }
}
