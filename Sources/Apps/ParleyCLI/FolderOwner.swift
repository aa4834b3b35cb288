internal import Foundation

/// Whose a data folder or a router's folder is.
///
/// A service runs as a user of its own, and its operator is root. What root wrote into the service's folder the service could not read. So
/// who writes there as root permanently becomes the folder's owner first: giving away the files afterwards would let that owner, by a link
/// in the folder, be given any file.
enum FolderOwner {
    /// The owner that ``become(of:)`` would make of this process: nil if the process is not root's, or if there is no folder yet.
    private static func ownerToBecome(of folder: String) -> stat? {
        var status = stat()
        return geteuid() == 0 && stat(folder, &status) == 0 && status.st_uid != 0 ? status : nil
    }

    /// Checks whether this process is to become somebody else, who may not be able to read what it can read now.
    static func isSomebodyElse(_ folder: String) -> Bool { ownerToBecome(of: folder) != nil }

    /// Warns root of a folder of somebody else, or of a new one in the folder of somebody else: what root makes there, that user cannot change.
    static func warn(of folder: String) {
        guard geteuid() == 0, let owner = foreignOwner(of: folder) else { return }
        Output.warning(
            "warning: \(folder) belongs to user \(owner), or will be in a folder of that user, and files that this process creates there belong to root. Run it as that user: sudo -u '#\(owner)' parley …"
        )
    }

    /// The owner of the folder or, if it is not there, of the nearest one above it; nil if that is root.
    static func foreignOwner(of folder: String) -> uid_t? {
        var path = URL(fileURLWithPath: folder).standardizedFileURL.path, status = stat()
        while stat(path, &status) != 0, path != "/" { path = URL(fileURLWithPath: path).deletingLastPathComponent().path }
        return status.st_uid == 0 ? nil : status.st_uid
    }

    /// Does nothing if the process is not root's, or if there is no folder yet.
    ///
    /// - Throws: ``Outcome/Failed`` `folder.owner`.
    static func become(of folder: String) throws {
        guard let status = ownerToBecome(of: folder) else { return }
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setgid(group) == 0, setuid(status.st_uid) == 0 else {
            throw Outcome.Failed(
                "folder.owner", description: "\(folder) belongs to user \(status.st_uid), as who this cannot act: \(String(cString: strerror(errno)))")
        }
    }
}
