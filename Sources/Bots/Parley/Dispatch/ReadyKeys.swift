/// Keys that wait for their turn, each with its owner. Owners take turns, and the keys of one owner go in the order in which they came.
///
/// So an owner with many keys does not hold up the others: each of them has its turn after at most one key of every other one.
struct ReadyKeys<Key: Sendable>: Sendable {
    private var keys: [Int64: [Key]] = [:]
    /// The owners with keys, the one that has waited longest for its turn first.
    private var owners: [Int64] = []

    var isEmpty: Bool { owners.isEmpty }

    mutating func enqueue(_ key: Key, of owner: Int64) {
        if keys[owner] == nil { owners.append(owner) }
        keys[owner, default: []].append(key)
    }

    /// Takes the next key of the first owner that may have one.
    mutating func popFirst(where mayTake: (_ owner: Int64) -> Bool) -> Key? {
        guard let index = owners.firstIndex(where: mayTake) else { return nil }
        let owner = owners.remove(at: index)
        guard let key = keys[owner]?.removeFirst() else { return nil }
        if keys[owner]?.isEmpty == false { owners.append(owner) } else { keys[owner] = nil }
        return key
    }

    mutating func removeAll() { (keys, owners) = ([:], []) }
}
