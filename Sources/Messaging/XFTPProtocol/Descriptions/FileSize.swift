/// The text of a size in a description: a number of bytes, `kb`, `mb` or `gb`, in the largest unit that leaves no remainder.
package enum FileSizeText {
    private static let units: [(factor: Int64, name: String)] = [(1 << 30, "gb"), (1 << 20, "mb"), (1 << 10, "kb")]

    /// - Parameter bytes: not negative.
    package static func text(_ bytes: Int64) -> String {
        for unit in units where bytes % unit.factor == 0 { return "\(bytes / unit.factor)\(unit.name)" }
        return String(bytes)
    }

    /// - Returns: nil for anything but digits and a unit, and for more bytes than 64 bits count.
    package static func bytes(_ text: String) -> Int64? {
        let unit = units.first { text.hasSuffix($0.name) }
        let digits = unit == nil ? Substring(text) : text.dropLast(2)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = Int64(digits) else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.factor ?? 1)
        return overflow ? nil : bytes
    }
}
