import SMPWire
import Testing
import VectorSupport

@Suite struct EncodingVectorTests {
    /// Types whose encodings are in other rooms, or that no message has.
    private static let others: Set<String> = ["MsgFlags", "SubscriptionMode", "TransportHost", "TransportHosts", "UTCTime"]

    private static func cases(_ kinds: String...) throws -> [(VectorCase, WireShape)] {
        try Vectors.cases("encoding").filter { kinds.contains($0.kind) }.compactMap { item in
            let type = try WireShape.required(item["type"].string)
            guard !others.contains(type) else { return nil }
            return (item, try WireShape.required(WireShape(type)))
        }
    }

    @Test func everyBinaryValueIsWrittenAndReadAsRecorded() throws {
        let cases = try Self.cases("binary", "binary-decode")
        #expect(cases.count == 78)
        for (item, shape) in cases {
            let bytes = try #require(item["hex"].hex)
            var writer = WireWriter()
            try shape.encode(item["value"], to: &writer)
            #expect(writer.bytes == bytes, "\(item)")
            var parser = WireParser(bytes)
            let value = try shape.decode(&parser)
            try parser.finish()
            #expect(value == (shape == .seconds ? item["value"]["seconds"] : item["value"]), "\(item)")
        }
    }

    @Test func everyMalformedBinaryValueIsRefused() throws {
        let cases = try Self.cases("binary-decode-error")
        #expect(cases.count == 9)
        for (item, shape) in cases {
            #expect(throws: WireError.self, "\(item)") {
                var parser = WireParser(try #require(item["hex"].hex))
                _ = try shape.decode(&parser)
                try parser.finish()
            }
        }
    }

    @Test func everyBeginningOfABinaryValueIsRefusedOrShorter() throws {
        for (item, shape) in try Self.cases("binary") {
            let bytes = try #require(item["hex"].hex)
            for length in 0..<min(bytes.count, 600) {
                var parser = WireParser(Bytes(bytes.prefix(length)))
                guard let value = try? shape.decode(&parser) else { continue }
                // Only what takes all that is left can be read from less.
                #expect(value != item["value"], "\(item) at \(length)")
                #expect("\(shape)".contains("tail"), "\(item) at \(length)")
            }
        }
    }

    /// What a recorded text is read and written as, by type.
    private func check(_ text: String, _ type: String, _ value: VectorValue, canonical: Bool) throws {
        func pass<Value: StringCodable & Equatable>(_ expected: Value) throws {
            #expect(try Value(wireString: text) == expected)
            if canonical { #expect(expected.wireString == text) }
        }
        switch type {
        case "ByteString": try pass(ShortBytes(try #require(value.hex)))
        case "Version", "Word16": try pass(UInt16(try #require(value.int)))
        case "Int64", "SystemTime": try pass(try #require(value.int))
        case "Bool": try pass(value == .bool(true))
        case "VersionRange": try pass(try WireShape.range(value))
        case "NonEmpty Word16":
            var parser = WireParser(Bytes(text.utf8))
            let list = try parser.stringList(of: UInt16.self)
            try parser.finish()
            #expect(list.map { .number(Int64($0)) } == value.array)
            var writer = WireWriter()
            writer.write(stringList: list)
            #expect(writer.bytes == Bytes(text.utf8))
        case "NonEmpty ByteString":
            var parser = WireParser(Bytes(text.utf8))
            let list = try parser.stringList(of: ShortBytes.self)
            try parser.finish()
            #expect(list.map { WireShape.hex($0.bytes) } == value.array)
            var writer = WireWriter()
            writer.write(stringList: list)
            #expect(writer.bytes == Bytes(text.utf8))
        case "(ByteString, Word16)", "(Word16, Bool, ByteString)":
            let types = type.dropFirst().dropLast().split(separator: ",").map { $0.trimmingPrefix { $0 == " " }.description }
            let parts = text.split(separator: " ", omittingEmptySubsequences: false)
            try #require(parts.count == types.count)
            for (index, part) in parts.enumerated() { try check(String(part), types[index], value[index], canonical: true) }
        default: Issue.record("no test for \(type)")
        }
    }

    @Test func everyTextIsReadAndWrittenAsRecorded() throws {
        let cases = try Vectors.cases("encoding", kinds: "string", "string-decode")
            .filter { !Self.others.contains($0["type"].string ?? "") }
        #expect(cases.count == 24)
        for item in cases {
            try check(
                try #require(item["str"].string), try #require(item["type"].string), item["value"],
                canonical: item.kind == "string")
        }
    }

    @Test func everyMalformedTextIsRefused() throws {
        for item in try Vectors.cases("encoding", kinds: "string-decode-error") {
            let text = try #require(item["str"].string)
            switch item["type"].string {
            case "ByteString": #expect(throws: WireError.self) { try ShortBytes(wireString: text) }
            case "VersionRange": #expect(throws: WireError.self) { try VersionRange(wireString: text) }
            default: #expect(Self.others.contains(item["type"].string ?? ""))
            }
        }
    }
}
