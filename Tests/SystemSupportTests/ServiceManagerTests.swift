import Glibc
import SystemSupport
import TestSupport
import Testing

@Suite struct ServiceManagerTests {
    @Test func aManagerIsToldThatTheServiceIsReadyAndThatItStops() throws {
        let manager = try NotifySocket()
        let service = ServiceManager(notifySocket: manager.path, journalStream: nil)
        try service.tell(.ready)
        #expect(manager.next() == "READY=1")
        try service.tell(.stopping)
        #expect(manager.next() == "STOPPING=1")
        #expect(manager.next() == nil)
    }

    @Test func withoutAManagerNobodyIsTold() throws {
        try ServiceManager(notifySocket: nil, journalStream: nil).tell(.ready)
    }

    @Test(arguments: [
        "/nowhere/notify", "@nobody-\(UInt64.random(in: 0 ... .max))", "vsock:2:1234", "relative", "@", "/" + String(repeating: "a", count: 107),
    ])
    func aManagerThatCannotBeToldIsSaidToBeSo(_ name: String) {
        #expect { try ServiceManager(notifySocket: name, journalStream: nil).tell(.ready) } throws: { error in
            "\(error)".hasPrefix("the service manager cannot be notified of the state of the service: NOTIFY_SOCKET=\(name)")
        }
    }

    @Test func eachLineOfATextHasItsPriority() {
        #expect(ServiceManager.prefixed("it rains", .warning) == "<4>it rains")
        #expect(ServiceManager.prefixed("file:1:2: error\n\n  ^", .error) == "<3>file:1:2: error\n<3>\n<3>  ^")
    }

    @Test func theJournalReadsADescriptorWhoseFileItNames() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var status = stat()
        try #require(fstat(ends[1], &status) == 0)
        let journal = "\(status.st_dev):\(status.st_ino)"
        #expect(ServiceManager(notifySocket: nil, journalStream: journal).reads(ends[1]))
        for other in [nil, "", "1:2", journal + "0", "x"] as [String?] {
            #expect(!ServiceManager(notifySocket: nil, journalStream: other).reads(ends[1]))
        }
        #expect(!ServiceManager(notifySocket: nil, journalStream: journal).reads(-1))
    }
}
