import Foundation
import SMPWire
import VectorSupport

/// The inputs that were worth keeping, one file of hexadecimal lines for each target.
enum Corpus {
    static func file(_ target: FuzzTarget) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus/\(target.name).txt")
    }

    /// Inputs in the order of the file.
    static func inputs(_ target: FuzzTarget) throws -> [Bytes] {
        try String(contentsOf: file(target), encoding: .utf8).split(separator: "\n").map { line in
            guard let bytes = VectorValue.string(String(line)).hex else { throw VectorError(description: "\(target.name): \(line.prefix(40))") }
            return bytes
        }
    }
}

/// Inputs out of the recordings.
enum Seeds {
    /// All byte strings in hexadecimal of some vector files, wherever they stand.
    static func bytes(_ files: String...) throws -> [Bytes] {
        try strings(files).compactMap { $0.isEmpty ? nil : VectorValue.string($0).hex }
    }

    /// All texts of some vector files.
    static func texts(_ files: String...) throws -> [Bytes] { try strings(files).map { Bytes($0.utf8) } }

    /// All texts of the recorded conversations with the API.
    static func conversations() throws -> [Bytes] {
        let folder = Vectors.folder.appendingPathComponent("api")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { $0.hasSuffix(".jsonl") }.flatMap { name in
            try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(separator: "\n").flatMap { line in
                strings(in: try VectorValue(json: Data(line.utf8))).map { Bytes($0.utf8) }
            }
        }
    }

    private static func strings(_ files: [String]) throws -> [String] {
        try files.flatMap { file in try Vectors.cases(file).flatMap { strings(in: $0.value) } }
    }

    private static func strings(in value: VectorValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let list): list.flatMap(strings)
        case .object(let members): members.sorted { $0.key < $1.key }.flatMap { strings(in: $0.value) }
        case .null, .bool, .number, .decimal: []
        }
    }
}
