internal import Parley

extension CheckTree {
    /// Reads `when` without its event and chat.
    static func reading(_ mapping: MappingReader, event: RuleEvent) -> CheckTree {
        var builder = CheckTreeReader(event: event)
        return builder.tree(mapping, depth: 1, isOutermost: true)
    }

    /// Reads `unless`: of a list, one element is enough. Nil for a value that cannot be read.
    static func exceptions(_ reader: NodeReader, event: RuleEvent) -> CheckTree? {
        var builder = CheckTreeReader(event: event, isException: true)
        guard let trees = reader.listOrOne()?.compactMap({ builder.branch($0, depth: 2) }), !trees.isEmpty else { return nil }
        return .any(trees, reader.position)
    }
}

/// Reads the checks of one rule and counts them.
private struct CheckTreeReader {
    let event: RuleEvent
    var isException = false
    private var size = 0

    init(event: RuleEvent, isException: Bool = false) {
        self.event = event
        self.isException = isException
    }

    /// A mapping whose keys must all hold.
    mutating func tree(_ mapping: MappingReader, depth: Int, isOutermost: Bool) -> CheckTree {
        var trees: [CheckTree] = []
        for entry in mapping.all {
            guard isWithinBounds(entry.value, depth: depth) else { break }
            switch entry.key {
            case "all": if let branches = branches(entry.value, depth) { trees.append(.all(branches, entry.position)) }
            case "any": if let branches = branches(entry.value, depth) { trees.append(.any(branches, entry.position)) }
            case "not": if let branch = branch(entry.value, depth: depth + 1) { trees.append(.not(branch, entry.position)) }
            default:
                guard let test = RuleChecks.test(entry.key, entry.value, event: event) else { continue }
                trees.append(
                    .check(Check(key: entry.key, position: entry.value.position, test: test, isOutermost: isOutermost, isException: isException)))
            }
        }
        return .all(trees, mapping.reader.position)
    }

    /// A mapping of checks inside of a rule.
    mutating func branch(_ reader: NodeReader, depth: Int) -> CheckTree? {
        guard isWithinBounds(reader, depth: depth), let mapping = reader.mapping() else { return nil }
        mapping.refuseKeys(otherThan: Schemas.checks)
        if mapping.keys.isEmpty {
            reader.report(.missingKey, "\(reader.path) says nothing", hint: "write a check, for example: { link: true }")
            return nil
        }
        return tree(mapping, depth: depth, isOutermost: false)
    }

    private mutating func branches(_ reader: NodeReader, _ depth: Int) -> [CheckTree]? {
        reader.list()?.compactMap { branch($0, depth: depth + 1) }
    }

    private mutating func isWithinBounds(_ reader: NodeReader, depth: Int) -> Bool {
        size += 1
        if depth > CheckTree.maximumDepth {
            reader.report(.tooLarge, "\(reader.path) is more than \(CheckTree.maximumDepth) levels deep", hint: "make several rules")
            return false
        }
        if size == CheckTree.maximumSize + 1 {
            reader.report(.tooLarge, "a rule has more than \(CheckTree.maximumSize) checks", hint: "make several rules")
        }
        return size <= CheckTree.maximumSize
    }
}
