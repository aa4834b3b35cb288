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

/// A part as it is found.
enum FolderPartState: Sendable, Hashable {
    /// It is not there.
    case absent
    /// It is there without content.
    case empty
    /// It has content, and no identity: an earlier version made it, or it has just been made.
    case unmarked
    case marked(FolderMark)

    var mark: FolderMark? {
        if case .marked(let mark) = self { mark } else { nil }
    }

    /// True if it has content.
    var isPresent: Bool {
        switch self {
        case .absent, .empty: false
        case .unmarked, .marked: true
        }
    }
}

extension DataFolder {
    /// The database of a part; nil if it is not a database, or if folders of this kind do not have it.
    func database(_ part: FolderPart) -> DatabaseSet.Member? { databases.members.first { $0.label == part.rawValue } }

    /// The path of a part; nil if folders of this kind do not have it.
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

    /// Looks at a part while nothing of the folder is open.
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
        // Without both it has neither an identity nor queues.
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

    /// - Returns: nil if there is none.
    static func read(in folder: String) throws(HostError) -> RouterMark? {
        try SmallFile.read(RouterMark.self, from: folder + "/" + fileName)
    }

    func write(in folder: String) throws(HostError) { try SmallFile.write(self, to: folder + "/" + Self.fileName) }
}

/// Small files of JSON that say what a folder is.
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
            throw HostError(.folderPartUnreadable, "\(path), which says what folder this is, cannot be read: \(error)")
        }
        guard !bytes.isEmpty else { throw HostError(.folderPartEmpty, "\(path), which says what folder this is, is empty. \(FolderFault.wayOut)") }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(bytes))
        } catch {
            throw HostError(.folderPartDamaged, "\(path), which says what folder this is, is damaged. \(FolderFault.wayOut)")
        }
    }

    /// The content of a file that holds a value.
    static func bytes(of value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }

    /// Replaces the file; it is on disk when this returns.
    static func write(_ value: some Encodable, to path: String) throws(HostError) {
        do {
            try WholeFile.replace(path, with: try bytes(of: value))
        } catch {
            throw HostError(.dataFolder, "\(path) cannot be written: \(error)")
        }
    }
}
