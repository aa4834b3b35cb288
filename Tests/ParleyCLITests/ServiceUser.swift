import Foundation
import ProcessSupport
import Testing

/// The user of a service, whose folder its operator, root, works in.
enum ServiceUser {
    static let id = 4711

    /// Whether this is root and has not lost what makes root: in some containers it cannot give files away, or act as another user.
    static let canBeActedAs: Bool = {
        func words(_ path: String) -> [[Substring]] {
            ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        }
        let effective = words("/proc/self/status").first { $0.first == "CapEff:" }?.last.flatMap { UInt64($0, radix: 16) } ?? 0
        // CAP_CHOWN, CAP_SETGID, CAP_SETUID.
        let needed: UInt64 = 1 << 0 | 1 << 6 | 1 << 7
        let hasAllUsers = ["uid_map", "gid_map"].allSatisfy { name in
            words("/proc/self/" + name).contains { $0.count == 3 && $0[0] == "0" && (UInt64($0[2]) ?? 0) > UInt64(id) }
        }
        // The other user has to get to the folder.
        var folder = FileManager.default.temporaryDirectory.standardizedFileURL, isReachable = true
        while folder.path != "/", isReachable {
            let permissions = (try? FileManager.default.attributesOfItem(atPath: folder.path))?[.posixPermissions] as? Int
            isReachable = (permissions ?? 0) & 0o001 != 0
            folder.deleteLastPathComponent()
        }
        return geteuid() == 0 && effective & needed == needed && hasAllUsers && isReachable
    }()

    /// Makes a folder in a scratch folder, with all that is in it, the service's, who can get there.
    static func getsTo(_ folder: ScratchFolder, and name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: folder.path)
        let inside = try FileManager.default.subpathsOfDirectory(atPath: folder(name)).map { folder(name + "/" + $0) }
        for path in [folder(name)] + inside {
            try FileManager.default.setAttributes([.ownerAccountID: id, .groupOwnerAccountID: id], ofItemAtPath: path)
        }
    }

    /// - Parameter event: what happened before.
    static func expectToOwnAll(of folder: String, after event: String) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
        #expect(!names.isEmpty)
        for name in names {
            let owner = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.ownerAccountID] as? Int
            #expect(owner == id, "\(name) after \(event)")
        }
    }
}
