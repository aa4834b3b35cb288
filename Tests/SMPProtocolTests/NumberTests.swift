import SMPWire
import TestSupport
import Testing

@testable import SMPProtocol

@Suite("Numbers in links, addresses and messages at their ends") struct NumberTests {
    @Test("ports are numbers of 16 bits", arguments: ExtremeNumbers.texts)
    func ports(_ text: String) {
        let address = "smp://\(String(repeating: "A", count: 43))=@router.example:\(text)"
        let port = ExtremeNumbers.isDecimal(text) && !text.hasPrefix("-") ? NumberOracle.integer(text, UInt16.self) : nil
        #expect((try? SMPServerAddress(wireString: address))?.port == port)
        #expect((try? SMPServerAddress(wireString: address)) == nil || port != nil)
    }

    @Test("times of routers stand at the nearest end of the years 0 to 9999", arguments: [Int64.min, -1, 0, 253_402_300_799, 253_402_300_800, .max])
    func times(_ seconds: Int64) throws {
        let message = try ReceivedMessageBody(wireBytes: seconds.wireBytes + Bytes("T body".utf8))
        #expect(message.timestamp == UnixTime.bounded(seconds))
        #expect(!message.timestamp.multipliedReportingOverflow(by: 1_000).overflow)
        #expect(try ReceivedMessageBody(wireBytes: message.wireBytes) == message)
        #expect(try ReceivedMessageBody(wireBytes: Bytes("QUOTA ".utf8) + seconds.wireBytes).timestamp == UnixTime.bounded(seconds))
        let meta = try NotificationMessageMeta(wireBytes: MessageID([1]).wireBytes + seconds.wireBytes)
        #expect(meta.timestamp == UnixTime.bounded(seconds))
    }

    @Test("client data that is not UTF-8 does not grow beyond what can be written")
    func clientData() throws {
        let key = try X25519PublicKeyText.any()
        func link(_ data: String) -> String {
            let queue = "smp%3A%2F%2F\(String(repeating: "A", count: 43))%3D%40router.example%2FAAAA%23%2F%3Fv%3D1-4%26dh%3D\(key)"
            return "simplex:/contact#/?v=2-7&smp=\(queue)&data=\(data)"
        }
        let short = try ConnectionRequestURI(wireString: link(String(repeating: "%FF", count: 21_845)))
        #expect(short.request.clientData?.utf8.count == 65_535)
        #expect(try ConnectionRequestURI(wireBytes: short.wireBytes).request.clientData == short.request.clientData)
        #expect(throws: WireError.self) { try ConnectionRequestURI(wireString: link(String(repeating: "%FF", count: 21_846))) }
        // The same behind its length in the binary form.
        let empty = try ConnectionRequestURI(wireString: link("")).wireBytes
        #expect(empty.suffix(3) == [UInt8(ascii: "1"), 0, 0])
        let long = empty.dropLast(2) + LargeBytes(Bytes(repeating: 0xFF, count: 65_535)).wireBytes
        #expect(throws: WireError.self) { try ConnectionRequestURI(wireBytes: Bytes(long)) }
    }
}

/// A key as it stands in links.
private enum X25519PublicKeyText {
    static func any() throws -> String {
        let spki: Bytes = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x6E, 0x03, 0x21, 0x00] + Bytes(repeating: 9, count: 32)
        return Base64URL.encode(spki).replacing("=", with: "%253D")
    }
}
