/// The kind of page that a link preview stands for.
public enum LinkContent: Hashable, JSONConvertible {
    case page
    case image
    /// With its duration in seconds.
    case video(duration: Int?)
    /// A kind of newer clients, or one to which they have added members, kept as it came.
    case unknown(tag: String, JSONObject)

    /// Reads the JSON form.
    public init(json: JSONValue) throws(JSONError) {
        let object = try JSONObject(json: json)
        let tag = try object.required("type", as: String.self)
        switch tag {
        case _ where !object.unknown(to: tag == "video" ? ["type", "duration"] : ["type"]).isEmpty: self = .unknown(tag: tag, object)
        case "page": self = .page
        case "image": self = .image
        case "video":
            // A duration that is not a number makes the content one that we do not know, not the message a bad one.
            if let duration = try? object.optional("duration", as: Int.self) {
                self = .video(duration: duration)
            } else if object["duration"]?.isNull ?? true {
                self = .video(duration: nil)
            } else {
                self = .unknown(tag: tag, object)
            }
        default: self = .unknown(tag: tag, object)
        }
    }

    /// The JSON form.
    public var json: JSONValue {
        switch self {
        case .page: return ["type": "page"]
        case .image: return ["type": "image"]
        case .video(let duration):
            var object: JSONObject = ["type": "video"]
            object.add("duration", duration)
            return .object(object)
        case .unknown(_, let object): return .object(object)
        }
    }
}

/// A preview of a page, made by the sender.
@JSONMembers
public struct LinkPreview: Hashable, ExtensibleObject {
    /// The address of the page.
    public var uri: String
    /// The title of the page.
    public var title: String
    /// The summary of the page.
    public var description: String
    /// A picture of the page; empty if there is none.
    public var image: ImageData
    /// The kind of page; nil from clients that do not say.
    public var content: LinkContent?
}
