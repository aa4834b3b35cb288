package import ChatProtocol

/// The first place where two values differ.
package func difference(_ left: JSONValue, _ right: JSONValue, at path: String = "") -> String? {
    switch (left, right) {
    case (.object(let left), .object(let right)):
        for key in Set(left.keys).union(right.keys).sorted() {
            guard let one = left[key] else { return "\(path).\(key) is \(right[key]?.text.prefix(200) ?? "") and should not be" }
            guard let other = right[key] else { return "\(path).\(key) is missing: \(one.text.prefix(200))" }
            if let inner = difference(one, other, at: "\(path).\(key)") { return inner }
        }
        return nil
    case (.array(let left), .array(let right)):
        if left.count != right.count { return "\(path) has \(right.count) elements, not \(left.count)" }
        for (index, (one, other)) in zip(left, right).enumerated() {
            if let inner = difference(one, other, at: "\(path)[\(index)]") { return inner }
        }
        return nil
    default: return left == right ? nil : "\(path): \(left.text.prefix(200)) is \(right.text.prefix(200))"
    }
}
