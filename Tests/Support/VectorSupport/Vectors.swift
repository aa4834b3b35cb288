package import Foundation

/// Recorded inputs and outputs of the official implementation, as the files under `Tests/Vectors` hold them.
package enum Vectors {
    /// The folder of the vector files.
    package static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    /// All cases of a file, in order.
    package static func cases(_ file: String) throws -> [VectorCase] {
        let data = try Data(contentsOf: folder.appendingPathComponent(file + ".json"))
        guard let root = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let cases = root["cases"] as? [[String: Any]]
        else { throw VectorError(description: "\(file).json is not an object with cases") }
        return cases.map { VectorCase(VectorValue($0)) }
    }

    /// The cases of the given kinds; it is an error if a kind has none, so that a renamed kind cannot pass unseen.
    package static func cases(_ file: String, kinds: String...) throws -> [VectorCase] {
        let all = try cases(file)
        for kind in kinds where !all.contains(where: { $0.kind == kind }) {
            throw VectorError(description: "\(file).json has no cases of kind \(kind)")
        }
        return all.filter { kinds.contains($0.kind) }
    }
}

/// One recorded case. A test shows its name when it fails.
package struct VectorCase: Sendable, CustomStringConvertible {
    package let value: VectorValue

    init(_ value: VectorValue) { self.value = value }

    package var name: String { value["name"].string ?? "(no name)" }
    package var kind: String { value["kind"].string ?? "(no kind)" }
    package var description: String { name }
    package subscript(_ key: String) -> VectorValue { value[key] }
}

/// Why a vector file could not be used as a test expected.
package struct VectorError: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
