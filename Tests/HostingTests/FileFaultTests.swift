import Foundation
import Testing

@testable import Hosting

/// The words of the system for what cannot be done with a file.
@Suite struct FileFaultTests {
    @Test func theErrorOfTheSystemIsNamed() throws {
        let error = try #require(throws: (any Error).self) {
            try FileManager.default.createDirectory(atPath: "/proc/nothing/at/all", withIntermediateDirectories: true)
        }
        #expect(FileFault.text(error) == String(cString: strerror(ENOENT)), "\(error)")
        #expect(FileFault.text(POSIXError(.EROFS)) == String(cString: strerror(EROFS)))
        #expect(FileFault.text(CocoaError(.fileReadUnknown, userInfo: [NSUnderlyingErrorKey: POSIXError(.EACCES)])) == String(cString: strerror(EACCES)))
    }
}
