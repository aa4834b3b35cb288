extension JSONValue {
    /// Tells whether no array and no object in the value, itself included, has more elements than a limit. Takes time linear in the size of the value.
    func hasLists(ofAtMost limit: Int) -> Bool {
        switch self {
        case .null, .bool, .number, .string: true
        case .array(let elements): elements.count <= limit && elements.allSatisfy { $0.hasLists(ofAtMost: limit) }
        case .object(let object): object.count <= limit && object.members.allSatisfy { $0.value.hasLists(ofAtMost: limit) }
        }
    }
}
