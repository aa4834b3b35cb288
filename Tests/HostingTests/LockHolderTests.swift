import EncryptedSQLite
import Foundation
import TestSupport
import Testing

@testable import Hosting

/// The process that holds a data folder.
@Suite struct LockHolderTests {
    @Test func theProcessIsFoundByTheFile() {
        let locks = """
            1: POSIX  ADVISORY  WRITE 12 08:01:77 0 EOF
            2: FLOCK  ADVISORY  WRITE 34 08:02:77 0 EOF
            2: -> FLOCK  ADVISORY  WRITE 99 08:01:77 0 EOF
            3: FLOCK  ADVISORY  WRITE 56 08:01:77 0 EOF
            4: FLOCK  ADVISORY  WRITE -1 08:01:78 0 EOF
            5: FLOCK
            """
        #expect(LockHolder.process(ofFile: 77, device: 0x801, in: locks) == 56)
        #expect(LockHolder.process(ofFile: 78, device: 0x801, in: locks) == nil)
        #expect(LockHolder.process(ofFile: 77, device: 0x801, in: "") == nil)
    }

    /// Other processes hold many locks before it in the table.
    @Test func theOwnProcessIsFoundAmongManyLocks() throws {
        let folder = try TemporaryFolder()
        var held: [FolderLock] = []
        for number in 0..<300 { held.append(try FolderLock(path: folder("\(number).lock"))) }
        let found = (0..<300).compactMap { LockHolder.process(of: folder("\($0).lock")) }
        // Some file systems show locks under another device: then none is found.
        #expect(found.isEmpty || found.count == 300 && found.allSatisfy { $0 == Int(getpid()) })
        held.forEach { $0.release() }
    }

    @Test func whoIsSecondHearsOfTheProcess() throws {
        let folder = try TemporaryFolder()
        let data = DataFolder(path: folder.path), lock = try data.lock()
        defer { lock.release() }
        let error = #expect(throws: HostError.self) { try data.requireUnused() }
        #expect(error?.code == .dataFolderInUse)
        // Some file systems show locks under another device.
        if let process = LockHolder.process(of: folder.path + "/folder.lock") {
            #expect(process == Int(ProcessInfo.processInfo.processIdentifier))
            #expect(error?.message.contains("stop process \(process)") == true)
        }
    }
}
