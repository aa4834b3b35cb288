import Foundation
import SystemSupport
import TestSupport
import Testing

@Suite("The identity of a file")
struct FileIdentityTests {
    @Test("is another one in a copy, and stays when the file is renamed, written and read")
    func files() async throws {
        let folder = try TemporaryFolder(), path = folder.path + "/a", manager = FileManager.default
        try Data("one".utf8).write(to: URL(fileURLWithPath: path))
        let identity = try #require(FileIdentity(path: path))
        // Files that are made within some milliseconds may be born at the same time.
        try await eventually("the clock of the file system moves on") {
            try? manager.removeItem(atPath: folder.path + "/b")
            try manager.copyItem(atPath: path, toPath: folder.path + "/b")
            return FileIdentity(path: folder.path + "/b")?.difference(from: identity) != nil
        }
        try manager.moveItem(atPath: path, toPath: folder.path + "/c")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.path + "/c"))
        try handle.write(contentsOf: Data("two".utf8))
        try handle.close()
        #expect(FileIdentity(path: folder.path + "/c") == identity)
        #expect(FileIdentity(path: path) == nil)
    }

    @Test("is compared by the time of birth, and by the inode where that is unknown")
    func comparison() {
        let file = FileIdentity(inode: 7, birth: 100)
        #expect(file.difference(from: file) == nil)
        // The inode of a file that was deleted is given to the next one.
        #expect(FileIdentity(inode: 7, birth: 101).difference(from: file) == .birth)
        // The file system was mounted anew, and numbers inodes as it likes.
        #expect(FileIdentity(inode: 8, birth: 100).difference(from: file) == nil)
        #expect(FileIdentity(inode: 8, birth: nil).difference(from: file) == .inode)
        #expect(file.difference(from: FileIdentity(inode: 8, birth: nil)) == .inode)
        #expect(FileIdentity(inode: 7, birth: nil).difference(from: file) == nil)
    }

    @Test("is known to the content of a file that is replaced")
    func replacing() throws {
        let folder = try TemporaryFolder(), path = folder.path + "/a"
        for _ in 1...2 {
            var noted: FileIdentity?
            try WholeFile.replace(path) { file in
                noted = file
                return Array("\(String(describing: file?.inode))".utf8)
            }
            #expect(noted != nil && FileIdentity(path: path) == noted)
        }
    }
}
