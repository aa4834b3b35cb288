internal import Foundation
internal import Pictures
internal import SMPCrypto

/// A copy of a large picture that is small enough for apps to receive it without being asked.
enum ScaledPicture {
    /// Bytes of a picture that is sent as it is, and of a copy at the most.
    static let limit = 261_120
    /// Seconds after which copies are deleted: routers keep files for two days.
    static let lifetime = 30.0 * 86_400

    /// Makes the copy, or finds an earlier copy of the same picture.
    ///
    /// - Parameters:
    ///   - path: of the picture, from the root.
    ///   - folder: the folder of files of the data folder.
    /// - Returns: the path of the copy; nil for a picture that is small enough, or of a kind that cannot be read.
    static func make(of path: String, in folder: String, now: Date = Date()) throws(BotFileError) -> String? {
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
        guard size > limit, size <= PictureLimits.bytes, let data = FileManager.default.contents(atPath: path) else { return nil }
        let digest = Hash.sha256(Array(data)).prefix(16).map { String($0, radix: 16) }.joined()
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let root = folder + "/scaled", copy = "\(root)/\(digest)/\(name.isEmpty ? "picture" : name).jpg"
        removeOld(in: root, at: now)
        if FileManager.default.isReadableFile(atPath: copy) {
            try? FileManager.default.setAttributes([.modificationDate: now], ofItemAtPath: "\(root)/\(digest)")
            return copy
        }
        let smaller: [UInt8]
        do throws(PictureError) {
            smaller = try Picture(decoding: Array(data)).forSending(limit: limit)
        } catch {
            // Clients show other kinds, too: they are sent as they are.
            if error.code == .format { return nil }
            throw BotFileError(.picture, "\(path): \(error.message)")
        }
        do {
            try FileManager.default.createDirectory(
                atPath: "\(root)/\(digest)", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let partial = copy + ".part"
            guard FileManager.default.createFile(atPath: partial, contents: Data(smaller), attributes: [.posixPermissions: 0o600]), rename(partial, copy) == 0
            else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
        } catch {
            throw BotFileError(.failed, "the smaller copy of \(path) cannot be written to \(root): \(FileFault.text(error))")
        }
        return copy
    }

    /// Deletes copies that nobody has used for long.
    private static func removeOld(in root: String, at now: Date) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] {
            let folder = root + "/" + name
            guard let used = try? FileManager.default.attributesOfItem(atPath: folder)[.modificationDate] as? Date, now.timeIntervalSince(used) > lifetime
            else { continue }
            try? FileManager.default.removeItem(atPath: folder)
        }
    }
}
