/// Takes the members of an object that is being written, either to keep them or to append their text to a longer one at once. Each name
/// may be set once.
public struct JSONObjectWriter {
    /// The text that members are appended to, if they are not kept.
    fileprivate var text: JSONWriter
    private let isKeeping: Bool
    /// The only member that is kept; nil for all.
    private let only: String?
    private var members: [(key: String, value: JSONValue)] = []
    /// The value in place of the object.
    fileprivate var replacement: JSONValue?

    /// An empty object whose members are kept.
    public init() { (text, isKeeping, only) = (JSONWriter(), true, nil) }

    /// An object of which one member is kept, and the others cost nothing.
    public init(only name: String) { (text, isKeeping, only) = (JSONWriter(), true, name) }

    fileprivate init(appendingTo text: consuming JSONWriter) { (self.text, isKeeping, only) = (text, false, nil) }

    /// The version of the API that the object is for. Members that are kept are those of the newest one.
    public var version: APIVersion { isKeeping ? .newest : text.version }

    /// The complete value of an object whose members were collected.
    public var json: JSONValue { replacement ?? .object(JSONObject(distinct: members)) }

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

    /// Sets a member; nil leaves it out.
    public mutating func add(_ key: String, _ value: (some JSONConvertible)?) {
        if let value { add(key, value) }
    }

    /// Sets a member.
    public mutating func add(_ key: String, _ value: some JSONConvertible) {
        guard !isKeeping else { return keep(key, value) }
        text.write(name: key)
        value.write(to: &text)
    }

    /// Sets a member whose value may occur many times in the text.
    public mutating func add(_ key: String, repeated value: some JSONConvertible & Equatable) {
        guard !isKeeping else { return keep(key, value) }
        text.write(name: key)
        text.write(repeated: value)
    }

    private mutating func keep(_ key: String, _ value: some JSONConvertible) {
        guard only == nil || only == key else { return }
        members.append((key, value.json))
    }

    /// Makes the value something that is no object of known members.
    public mutating func replace(with json: JSONValue) { replacement = json }
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
        let start = bytes.count
        beginObject()
        var object = JSONObjectWriter(appendingTo: take())
        body(&object)
        self = object.text.take()
        if let replacement = object.replacement {
            truncate(to: start)
            write(replacement)
        } else {
            endObject()
        }
    }
}
