import ChatProtocol
import ChatRules
import SMPWire
import TestSupport

@testable import ChatEngine

/// Numbers and times, beside arithmetic that is done in another way.
extension FuzzTarget {
    static let number = FuzzTarget("number") {
        ExtremeNumbers.texts.map { Bytes($0.utf8) } + (try Seeds.texts("chat_messages"))
    } run: { input throws(FuzzFault) in
        guard let value = try? JSONValue(parsing: input) else { return }
        try check(value)
    }

    private static func check(_ value: JSONValue) throws(FuzzFault) {
        switch value {
        case .number(let number):
            try check(number, Int64.self)
            try check(number, UInt64.self)
            try check(number, Int.self)
            try check(number, Int32.self)
            try check(number, UInt32.self)
            try check(number, Int16.self)
            try check(number, UInt16.self)
            try check(number, Int8.self)
            try check(number, UInt8.self)
            let double = NumberOracle.double(number.text)
            try FuzzFault.unless(number.double == double, "\(number.text) is read as \(number.double), not \(double)")
            try check(respellings(of: number))
        case .array(let elements): for element in elements { try check(element) }
        case .object(let object): for (_, element) in object.members { try check(element) }
        case .null, .bool, .string: break
        }
    }

    private static func check<Integer: FixedWidthInteger>(_ number: JSONNumber, _ type: Integer.Type) throws(FuzzFault) {
        let (value, expected) = (number.integer(type), NumberOracle.integer(number.text, type))
        try FuzzFault.unless(value == expected, "\(number.text) is \(String(describing: expected)) as \(type), read as \(String(describing: value))")
    }

    /// The same number in other words, as far as that is simple.
    private static func respellings(of number: JSONNumber) -> [JSONNumber] {
        let text = number.text
        let others = text.contains("e") || text.contains("E") ? [text + ""] : [text, text + "e0", text + "E+00", text.contains(".") ? text + "0" : text + ".0"]
        return ([number.text] + others).compactMap { (try? JSONValue(parsing: $0))?.numberValue }
    }

    private static func check(_ same: [JSONNumber]) throws(FuzzFault) {
        for other in same.dropFirst() {
            try FuzzFault.unless(same[0] == other, "\(same[0].text) differs from \(other.text)")
            try FuzzFault.unless(same[0].hashValue == other.hashValue, "\(same[0].text) has another hash than \(other.text)")
        }
    }

    /// Text as a time, and eight bytes as seconds or nanoseconds since 1970.
    static let timestamp = FuzzTarget("timestamp", maximumLength: 64) {
        ["2024-05-06T07:08:09.123456789Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:60-23:59", "1677-09-21 00:12:43.1+01"].map { Bytes($0.utf8) }
            + [Int64.min, -1, 0, 1, .max].map { $0.wireBytes }
    } run: { input throws(FuzzFault) in
        if let text = String(validating: input, as: UTF8.self), let time = UTCTimestamp(text) {
            try unlessReadAgain(time)
            try FuzzFault.unless(time.seconds == longhand(time.description), "\(text) is read as \(time)")
        }
        guard let number = try? Int64(wireBytes: Bytes(input.prefix(8))) else { return }
        let time = UTCTimestamp(seconds: number, nanoseconds: UInt32(truncatingIfNeeded: number))
        try unlessReadAgain(time)
        try FuzzFault.unless(time.seconds == longhand(time.description), "\(number) seconds are printed as \(time)")
        let stored = UTCTimestamp(stored: number)
        try FuzzFault.unless(stored.stored == number, "\(number) nanoseconds are read as \(stored), which is \(stored.stored)")
        try unlessReadAgain(stored)
        try unlessReadAgain(time.adding(seconds: number))
        try unlessReadAgain(UTCTimestamp(milliseconds: number))
        try unlessReadAgain(UTCTimestamp(sinceEpoch: .seconds(number)))
        try unlessReadAgain(UTCTimestamp(timeIntervalSince1970: Double(bitPattern: UInt64(bitPattern: number))))
        try FuzzFault.unless(time <= time.adding(seconds: max(0, number)), "\(time) is before itself")
    }

    private static func unlessReadAgain(_ time: UTCTimestamp) throws(FuzzFault) {
        try FuzzFault.unless(UTCTimestamp(time.description) == time, "\(time) is read as \(String(describing: UTCTimestamp(time.description)))")
    }

    /// Seconds since 1970, by going through the years.
    private static func longhand(_ text: String) -> Int64? {
        let parts = text.split { "-T:.Z".contains($0) }.compactMap { Int64($0) }
        guard parts.count >= 6 else { return nil }
        func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && year % 100 != 0 || year % 400 == 0 }
        var days: Int64 = 0
        for year in min(1970, parts[0])..<max(1970, parts[0]) { days += isLeap(year) ? 366 : 365 }
        if parts[0] < 1970 { days = -days }
        let lengths: [Int64] = [31, isLeap(parts[0]) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for month in lengths.prefix(Int(parts[1]) - 1) { days += month }
        return ((days + parts[2] - 1) * 24 + parts[3]) * 3600 + parts[4] * 60 + parts[5]
    }
}
