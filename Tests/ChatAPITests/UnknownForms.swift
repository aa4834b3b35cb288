import ChatProtocol

/// The values inside a value that were kept as unknown forms, with the way to them.
func unknownForms(in value: Any, at path: String = "") -> [String] {
    if value is JSONValue || value is String || value is Int64 || value is UTCTimestamp || value is MessageContent { return [] }
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum, let child = mirror.children.first, child.label == "other" {
        if let (tag, json) = child.value as? (String, JSONValue) {
            return ["\(path): \(mirror.subjectType) \(tag) \(json.text.prefix(300))"]
        }
    }
    return mirror.children.flatMap { unknownForms(in: $0.value, at: "\(path).\($0.label ?? "")") }
}
