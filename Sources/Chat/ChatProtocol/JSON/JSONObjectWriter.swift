/// Takes the members of an object that is being written, either to keep them or to append their text to a longer one at once. Each name
/// may be set once.
public struct JSONObjectWriter: Sendable {
    private enum Target {
        case members([(key: String, value: JSONValue)])
        /// A text and where in it the object begins.
        case text(JSONWriter, start: Int)
    }

    private var target: Target
    private var replacement: JSONValue?

    /// An empty object whose members are kept.
    public init() { target = .members([]) }

    fileprivate init(appendingTo text: consuming JSONWriter) {
        let start = text.bytes.count
        text.beginObject()
        target = .text(text, start: start)
    }

    /// The finished value of an object whose members were kept.
    public var json: JSONValue {
        if let replacement { return replacement }
        guard case .members(let members) = target else { return .null }
        return .object(JSONObject(distinct: members))
    }

    /// Sets a member; nil leaves it out.
    public subscript<Value: JSONConvertible>(_ key: String) -> Value? {
        @available(*, unavailable) get { nil }
        set { if let newValue { add(key, newValue) } }
    }

    /// Sets a member whose value is an object with names that are data.
    public subscript<Value: JSONConvertible>(_ key: String) -> [String: Value] {
        @available(*, unavailable) get { [:] }
        set {
            let sorted = newValue.sorted { $0.key < $1.key }
            add(key, JSONValue.object(JSONObject(sorted.map { ($0.key, $0.value.json) })))
        }
    }

    /// Makes the value something that is no object of known members.
    public mutating func replace(with json: JSONValue) { replacement = json }

    /// Sets a member; nil leaves it out.
    public mutating func add(_ key: String, _ value: (some JSONConvertible)?) {
        if let value { add(key, value) }
    }

    /// Sets a member.
    public mutating func add(_ key: String, _ value: some JSONConvertible) {
        switch target {
        case .members(var members):
            // Taken out while it grows, so that it is not copied; the same below.
            target = .members([])
            members.append((key, value.json))
            target = .members(members)
        case .text(var text, let start):
            target = .members([])
            text.write(name: key)
            value.write(to: &text)
            target = .text(text, start: start)
        }
    }

    /// The text with the object at its end.
    fileprivate consuming func finished() -> JSONWriter {
        guard case .text(var text, let start) = target else { return JSONWriter() }
        if let replacement {
            text.truncate(to: start)
            text.write(replacement)
        } else {
            text.endObject()
        }
        return text
    }
}

extension JSONWriter {
    /// Appends an object whose members `body` sets.
    public mutating func writeObject(_ body: (inout JSONObjectWriter) -> Void) {
        guard order == .asHeld else {
            // Members can be sorted only when all are known.
            var object = JSONObjectWriter()
            body(&object)
            return write(object.json)
        }
        var text = JSONWriter()
        swap(&text, &self)
        var object = JSONObjectWriter(appendingTo: text)
        body(&object)
        self = object.finished()
    }
}
