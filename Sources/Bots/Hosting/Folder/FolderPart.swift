internal import EncryptedSQLite
internal import Foundation
internal import SystemSupport

/// A part of a data folder that has the folder's identity.
enum FolderPart: String, Sendable, Hashable, CaseIterable, Codable {
    case chat, agent, bots, router
    case fileRouter = "file-router"

    /// True if the part is a database.
    var isDatabase: Bool {
        switch self {
        case .chat, .agent, .bots: true
        case .router, .fileRouter: false
        }
    }
}

/// The state of a part.
enum FolderPartState: Sendable, Hashable {
    /// The part does not exist.
    case absent
    /// The part exists without content.
    case empty
    /// The part has content, and no identity: an earlier version created it, or it has just been created.
    case unmarked
    case marked(FolderMark)

    var mark: FolderMark? {
        if case .marked(let mark) = self { mark } else { nil }
    }

    /// True if the part has content.
    var isPresent: Bool {
        switch self {
        case .absent, .empty: false
        case .unmarked, .marked: true
        }
    }
}

extension DataFolder {
    /// Returns the database of a part; nil if it is not a database, or if folders of this kind do not have it.
    func database(_ part: FolderPart) -> DatabaseSet.Member? { databases.members.first { $0.label == part.rawValue } }

    /// Returns the path of a part; nil if folders of this kind do not have it.
    func location(of part: FolderPart) -> String? {
        switch part {
        case .chat, .agent, .bots: database(part)?.path
        case .router: routerFolder
        case .fileRouter: fileRouterFolder
        }
    }

    /// The parts that a folder of this kind can have.
    var possibleParts: [FolderPart] { FolderPart.allCases.filter { location(of: $0) != nil } }

    /// The file with the identity of the folder.
    var manifestPath: String { corePrefix + ".folder" }

    /// Inspects a part while no part of the folder is open.
    ///
    /// - Throws: `StorageError` for a database that cannot be opened, ``HostError`` `folderPartDamaged` or `folderPartUnreadable` for a router's mark.
    func state(of part: FolderPart, key: DatabaseKey?) throws -> FolderPartState {
        if let database = database(part) {
            switch try database.presence(key: key) {
            case .absent: return .absent
            case .empty: return .empty
            case .present(let mark): return mark.map { .marked($0) } ?? .unmarked
            }
        }
        guard let folder = location(of: part), FileManager.default.fileExists(atPath: folder) else { return .absent }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw HostError(.folderPartUnreadable, "the folder \(folder) cannot be read: \(error.localizedDescription)")
        }
        let mark = try RouterMark.read(in: folder)
        // Without both, the router has neither an identity nor queues.
        guard names.contains("ca.crt") || names.contains(where: { $0.hasPrefix("journal-") }) else { return mark == nil ? .absent : .empty }
        return mark.map { .marked(FolderMark(folder: $0.folder, generation: $0.generation, parts: [])) } ?? .unmarked
    }

    /// Marks a part while it is not in use.
    func write(_ mark: FolderMark, to part: FolderPart, key: DatabaseKey?) throws {
        if let database = database(part) {
            try database.write(mark, key: key)
        } else if let folder = location(of: part) {
            try RouterMark(folder: mark.folder, generation: mark.generation).write(in: folder)
        }
    }
}

/// The identity of a data folder in the folder of one of its routers.
struct RouterMark: Codable, Hashable {
    static let fileName = "folder.mark"

    let folder: String
    let generation: Int64

    /// Reads the mark; nil if there is none.
    static func read(in folder: String) throws(HostError) -> RouterMark? {
        try SmallFile.read(RouterMark.self, from: folder + "/" + fileName)
    }

    func write(in folder: String) throws(HostError) { try SmallFile.write(self, to: folder + "/" + Self.fileName) }
}

/// Small JSON files with the identity of a folder.
enum SmallFile {
    private static let maximumSize = 64 << 10

    /// - Returns: nil if there is no file.
    /// - Throws: ``HostError`` `folderPartUnreadable`, `folderPartEmpty` or `folderPartDamaged`.
    static func read<Value: Decodable>(_: Value.Type, from path: String) throws(HostError) -> Value? {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try WholeFile.contents(ofFile: path, upTo: maximumSize)
        } catch {
            if error.isMissingFile { return nil }
            throw HostError(.folderPartUnreadable, "\(path), which has the identity of the folder, cannot be read: \(error)")
        }
        guard !bytes.isEmpty else { throw HostError(.folderPartEmpty, "\(path), which has the identity of the folder, is empty. \(FolderFault.wayOut)") }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw HostError(.folderPartDamaged, "\(path), which has the identity of the folder, is damaged. \(FolderFault.wayOut)")
        }
    }

    /// Encodes the content of a file with a value.
    static func bytes(of value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }

    /// Replaces the file. It is on disk when this returns.
    static func write(_ value: some Encodable, to path: String) throws(HostError) {
        do {
            try WholeFile.replace(path, with: try bytes(of: value))
        } catch {
            throw HostError(.dataFolder, "\(path) cannot be written: \(error)")
        }
    }
}
