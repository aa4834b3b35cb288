/// An object of the chat protocol to which later versions may add members. What this version does not know is kept as it came and written back, so that a
/// profile that is changed here, or a message that is passed on, keeps what newer clients have put into it.
///
/// - Bounds: What is kept is a part of what was received, whose size, depth and counts are bounded before: ``ChatLimits/decompressedMessage`` and
///   ``ChatLimits/decompressedLinkData`` bytes, ``JSONParser/maximumDepth``, and ``ChatLimits/listElements`` members of an object in a message. Of members
///   with the same name the first one counts. A value without unknown members has an empty array for them.
/// - Equality: Values with different unknown members differ, in whichever order the members are. A changed unknown member is a change like others: it is
///   stored and passed on.
/// - Safety: An unknown member never takes the place of a known one: names that the type knows are left out when it is read, and again when it is written.
public protocol ExtensibleObject: JSONObjectConvertible {
    /// The members that this version does not know, as they came.
    var unknownMembers: JSONObject { get set }
    /// Adds the unknown members of another value, at every depth. Those that are there already stay.
    mutating func addUnknownMembers(of other: Self)
}

extension ExtensibleObject {
    /// The value with the unknown members of another one added, at every depth. A value that is made anew so keeps what newer clients have put into the
    /// stored one.
    public func keepingUnknownMembers(of stored: Self?) -> Self {
        guard let stored else { return self }
        var value = self
        value.addUnknownMembers(of: stored)
        return value
    }
}

/// Merging of unknown members, for what ``JSONMembers()`` generates.
public enum UnknownMembers {
    /// Adds members whose names are not there yet.
    public static func add(_ others: JSONObject, to members: inout JSONObject) {
        guard !others.isEmpty else { return }
        guard !members.isEmpty else { return members = others }
        members = JSONObject(members.members.map { ($0.key, $0.value) } + others.members.map { ($0.key, $0.value) })
    }

    /// Adds nothing: the value has no unknown members.
    public static func add<Value>(of other: Value, to value: inout Value) {}

    /// Adds the unknown members of an object.
    public static func add<Value: ExtensibleObject>(of other: Value, to value: inout Value) { value.addUnknownMembers(of: other) }

    /// Adds the unknown members of an object, if both are there.
    public static func add<Value: ExtensibleObject>(of other: Value?, to value: inout Value?) {
        if let other { value?.addUnknownMembers(of: other) }
    }
}

extension JSONObject {
    /// The members with other names than these, in their order. The names of a type are few, so that this is linear in the members.
    public func unknown(to names: [String]) -> JSONObject {
        var unknown = JSONObject()
        for (key, value) in members where !names.contains(where: key.hasSameScalars) { unknown.append(key, value) }
        return unknown
    }
}

extension JSONObjectWriter {
    /// Sets members that are not known, but none with one of these names.
    public mutating func add(unknown members: JSONObject, to names: [String]) {
        guard !members.isEmpty else { return }
        for (key, value) in members.members where !names.contains(where: key.hasSameScalars) { add(key, value) }
    }
}
