/// The members of a JSON object, in order. Names are unique: of two members with the same name the first one counts.
public struct JSONObject: Sendable {
    /// The members in the order in which they were written.
    public private(set) var members: [(key: String, value: JSONValue)]

    /// An object without members.
    public init() { members = [] }

    /// Later members with a name that was there before are left out.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.members = []
        for (key, value) in members { append(key, value) }
        removeRepeatedNames()
    }

    /// Members whose names are known to differ: nothing is looked for.
    public init(distinct members: [(key: String, value: JSONValue)]) { self.members = members }

    /// True if there are no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The number of members.
    public var count: Int { members.count }
    /// The names of the members, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of the member; setting nil removes it, setting a value keeps its place.
    public subscript(_ key: String) -> JSONValue? {
        get { members.first { $0.key.hasSameScalars(as: key) }?.value }
        set {
            let index = members.firstIndex { $0.key.hasSameScalars(as: key) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((key, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a member whose name is known not to be there yet.
    mutating func append(_ key: String, _ value: JSONValue) { members.append((key, value)) }

    /// Keeps the first of the members that share a name, in linear time.
    mutating func removeRepeatedNames() {
        if members.count <= Self.fewMembers {
            guard members.count > 1 else { return }
            for index in members.indices.reversed() where isRepeated(index) { members.remove(at: index) }
            return
        }
        var seen = Set<ScalarKey>(minimumCapacity: members.count)
        members.removeAll { !seen.insert(ScalarKey(text: $0.key)).inserted }
    }

    /// Up to here comparing all names with each other is quicker than a set of them.
    private static let fewMembers = 24

    /// Tells whether an earlier member has the same name.
    private func isRepeated(_ index: Int) -> Bool {
        let key = members[index].key
        for earlier in 0..<index where members[earlier].key.hasSameScalars(as: key) { return true }
        return false
    }

    /// A name that is compared by its scalars.
    private struct ScalarKey: Hashable {
        let text: String
        static func == (left: Self, right: Self) -> Bool { left.text.hasSameScalars(as: right.text) }
        func hash(into hasher: inout Hasher) { text.hashScalars(into: &hasher) }
    }

    /// Members sorted by the scalars of their names.
    var sorted: [(key: String, value: JSONValue)] { members.sorted { $0.key.scalarsPrecede($1.key) } }
}

extension JSONObject: Hashable {
    /// Objects are equal when they have the same members in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        if zip(left.members, right.members).allSatisfy({ $0.key.hasSameScalars(as: $1.key) && $0.value == $1.value }) {
            return true
        }
        return zip(left.sorted, right.sorted).allSatisfy { $0.key.hasSameScalars(as: $1.key) && $0.value == $1.value }
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        for (key, value) in sorted {
            key.hashScalars(into: &hasher)
            hasher.combine(value)
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates the value of a literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
