internal import CRE2
internal import UnicodeText

/// Many patterns that are looked for in one pass over a text.
///
/// The time depends on the text, hardly on the number of patterns. When the shared program runs out of memory on a text,
/// the patterns are tried one by one, so that the answer is always complete.
public final class TextPatternSet: @unchecked Sendable {
    /// The most memory that the shared program and its caches may take, in bytes.
    public static let maximumMemory: Int64 = 16 << 20

    private let patterns: [TextPattern]
    private let set: OpaquePointer?

    /// Compiles the patterns together.
    ///
    /// - Throws: ``TextPatternError`` for the first pattern that is wrong.
    public init(_ sources: [String]) throws(TextPatternError) {
        var patterns: [TextPattern] = []
        for source in sources { patterns.append(try TextPattern(source)) }
        self.patterns = patterns
        set = Self.compile(sources.map(\.composed))
    }

    deinit { if let set { cre2_set_release(set) } }

    /// The indices of the patterns that match anywhere in the text, ascending.
    public func matches(in text: String) -> [Int] {
        guard !patterns.isEmpty else { return [] }
        return indices(in: text) ?? patterns.indices.filter { patterns[$0].matches(text) }
    }

    private func indices(in text: String) -> [Int]? {
        guard let set else { return nil }
        var text = text.composed
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                withUnsafeTemporaryAllocation(of: CInt.self, capacity: patterns.count) { found in
                    let count = cre2_set_match(set, characters.baseAddress, characters.count, found.baseAddress, CInt(patterns.count))
                    return count < 0 ? nil : found.prefix(Int(count)).map(Int.init)
                }
            }
        }
    }

    /// Nil when the patterns do not fit the memory together.
    private static func compile(_ sources: [String]) -> OpaquePointer? {
        guard !sources.isEmpty, let set = cre2_set_new(maximumMemory) else { return nil }
        for source in sources {
            var source = source
            let index = source.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { cre2_set_add(set, $0.baseAddress, $0.count) }
            }
            guard index >= 0 else {
                cre2_set_release(set)
                return nil
            }
        }
        guard cre2_set_compile(set) else {
            cre2_set_release(set)
            return nil
        }
        return set
    }
}
