public import Foundation

/// Recorded inputs and outputs of the official implementation, as the files under `Tests/Vectors` hold them.
public enum Vectors {
    /// The folder of the vector files.
    public static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Vectors")

    /// All cases of a file, in order.
    public static func cases(_ file: String) throws -> [VectorCase] {
        let data = try Data(contentsOf: folder.appendingPathComponent(file + ".json"))
        guard let root = try JSONSerialization.jsonObject(with: data) as? [String: Any],
            let cases = root["cases"] as? [[String: Any]]
        else { throw VectorError(description: "\(file).json is not an object with cases") }
        return cases.map { VectorCase(VectorValue($0)) }
    }

    /// The cases of the given kinds; it is an error if a kind has none, so that a renamed kind cannot pass unseen.
    public static func cases(_ file: String, kinds: String...) throws -> [VectorCase] {
        let all = try cases(file)
        for kind in kinds where !all.contains(where: { $0.kind == kind }) {
            throw VectorError(description: "\(file).json has no cases of kind \(kind)")
        }
        return all.filter { kinds.contains($0.kind) }
    }
}

/// One recorded case. A test shows its name when it fails.
public struct VectorCase: Sendable, CustomStringConvertible {
    public let value: VectorValue

    init(_ value: VectorValue) { self.value = value }

    public var name: String { value["name"].string ?? "(no name)" }
    public var kind: String { value["kind"].string ?? "(no kind)" }
    public var description: String { name }
    public subscript(_ key: String) -> VectorValue { value[key] }
}

/// Why a vector file could not be used as a test expected.
public struct VectorError: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}
