import ChatProtocol
import ChatRules
import SMPWire

@testable import ChatEngine

/// Names that peers give to files.
extension FuzzTarget {
    /// A name, as a message carries it: what is kept of it is a name in one folder, and is kept of itself.
    static let fileName = FuzzTarget("file-name", maximumLength: 1_024) {
        ["photo.jpg", "../../etc/passwd", "a/b\\c.tar.gz", "..", "über 😀.png", "../\u{301}x", String(repeating: "n", count: 600) + ".jpg"].map {
            Bytes($0.utf8)
        }
    } run: { input throws(FuzzFault) in
        let name = String(decoding: input, as: UTF8.self)
        for kept in [FileNames.safe(name), FileNames.forwarded(name, .image(text: "", image: ImageData("")), at: UTCTimestamp(seconds: 1_790_000_000))] {
            let bytes = Array(kept.utf8)
            try FuzzFault.unless(!bytes.isEmpty && bytes.count <= FileNames.longest, "a name has \(bytes.count) bytes")
            try FuzzFault.unless(!bytes.contains { $0 < 0x20 || $0 == UInt8(ascii: "/") || $0 == 0x7F }, "a name is kept as \(kept.debugDescription)")
            try FuzzFault.unless(bytes != Array(".".utf8) && bytes != Array("..".utf8), "a name is kept as \(kept)")
            try FuzzFault.unless(Array(FileNames.safe(kept).utf8) == bytes, "\(kept.debugDescription) is kept as \(FileNames.safe(kept).debugDescription)")
        }
    }
}
