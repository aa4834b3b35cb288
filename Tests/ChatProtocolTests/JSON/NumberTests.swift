import ChatProtocol
import TestSupport
import Testing

@Suite("Numbers of JSON at their ends") struct NumberTests {
    private static func number(_ text: String) throws -> JSONNumber { try #require(try JSONValue(parsing: text).numberValue) }

    @Test("a number is read as each type like by long-hand arithmetic", arguments: ExtremeNumbers.texts)
    func integers(_ text: String) throws {
        for text in [text, text + ".0", text + "e0", text + "E-1", text + "e+1"] {
            // Of those made here some have two points or exponents.
            guard let value = try? JSONValue(parsing: text), let number = value.numberValue else { continue }
            func check<Integer: FixedWidthInteger>(_ type: Integer.Type) {
                #expect(number.integer(type) == NumberOracle.integer(text, type), "\(type)")
            }
            check(Int8.self)
            check(UInt8.self)
            check(Int16.self)
            check(UInt16.self)
            check(Int32.self)
            check(UInt32.self)
            check(Int64.self)
            check(UInt64.self)
            #expect(number.double == NumberOracle.double(text))
            #expect(try JSONValue(parsing: value.text) == value)
            if let whole = NumberOracle.integer(text, Int.self) {
                #expect(try Int(json: value) == whole)
            } else {
                #expect(throws: JSONError.self) { try Int(json: value) }
            }
        }
    }

    @Test("numbers that are equal have one hash, and equality goes both ways and on")
    func hashes() throws {
        let spellings = ExtremeNumbers.texts + ["1.00", "10e-1", "0.1e1", "100e-2", "1e0", "-0.0", "0e5", "5e-1", "1E400", "10e399", "1e0400"]
        let numbers = try spellings.map(Self.number)
        for one in numbers {
            #expect(one == one)
            for other in numbers where one == other {
                #expect(other == one)
                #expect(one.hashValue == other.hashValue, "\(one.text) \(other.text)")
                #expect(numbers.allSatisfy { ($0 == one) == ($0 == other) })
            }
        }
        #expect(try Self.number("1e400") == Self.number("10e399"))
        #expect(try Self.number("1") != Self.number("-1"))
        // Beyond the largest exponent only the text counts.
        #expect(try Self.number("1e99999999999999999999") == Self.number("1e99999999999999999999"))
        #expect(try Self.number("1e99999999999999999999") != Self.number("10e99999999999999999998"))
        #expect(try Self.number("1e\(JSONNumber.maximumExponent)") == Self.number("10e\(JSONNumber.maximumExponent - 1)"))
    }

    @Test("long numbers are read, compared and hashed in a time that their length allows")
    func cost() async throws {
        try await withTimeLimit(.seconds(60), else: "a million digits were not done with") {
            let nines = String(repeating: "9", count: 1_000_000)
            let zeros = String(repeating: "0", count: 1_000_000)
            for text in [nines, "1" + zeros, "0." + zeros + "1", "1e" + nines, "1e-" + nines, "1" + zeros + "e-1000000", nines + "e" + zeros] {
                let number = try Self.number(text)
                #expect(number.integer(Int64.self) == (text.hasSuffix("e-1000000") ? 1 : nil))
                #expect(number == number)
                _ = number.hashValue
                #expect(try number != Self.number("2"))
            }
        }
    }

    @Test("times to live stand at the nearest end of what they can be", arguments: ExtremeNumbers.texts)
    func timesToLive(_ text: String) throws {
        let message = "{\"v\":\"1-16\",\"event\":\"x.msg.new\",\"params\":{\"content\":{\"type\":\"text\",\"text\":\"x\"},\"ttl\":\(text)}}"
        let profile = "{\"displayName\":\"a\",\"fullName\":\"\",\"preferences\":{\"timedMessages\":{\"allow\":\"yes\",\"ttl\":\(text)}}}"
        guard let asked = NumberOracle.integer(text, Int.self) else {
            #expect(ReceivedChatMessage.parse(Array(message.utf8)).allSatisfy { (try? $0.get()) == nil })
            #expect(throws: JSONError.self) { try Profile(parsing: profile) }
            return
        }
        let ttl = asked < 0 ? 0 : asked > 3_155_760_000 ? 3_155_760_000 : asked
        guard case .newMessage(let container) = try #require(ReceivedChatMessage.parse(Array(message.utf8)).first).get().message.event else {
            Issue.record("another message")
            return
        }
        #expect(container.ttl == ttl)
        #expect(try Profile(parsing: profile).preferences?.timedMessages?.ttl == ttl)
    }
}
