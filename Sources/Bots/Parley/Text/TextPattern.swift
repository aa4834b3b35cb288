internal import CRE2
internal import UnicodeText

/// A regular expression in RE2 syntax, which matches in time linear in the length of the text whatever the pattern.
///
/// Letters and their marks are composed in patterns and texts alike, so that `é` matches however it is written.
///
/// Bounds: a pattern has at most ``maximumSourceLength`` bytes, and its compiled program and caches at most
/// ``maximumMemory`` bytes. Back-references and look-around are not part of the syntax; a pattern that uses them is refused.
public struct TextPattern: Sendable, CustomStringConvertible {
    /// The longest accepted pattern, in bytes of UTF-8.
    public static let maximumSourceLength = 512
    /// The most memory that one compiled pattern may take, in bytes.
    public static let maximumMemory: Int64 = 1 << 20

    /// The pattern as it was written.
    public let source: String
    private let compiled: CompiledPattern

    /// Compiles a pattern.
    ///
    /// - Parameter ignoringCase: letters match without regard to case.
    /// - Throws: ``TextPatternError`` with the reason and the part of the pattern at fault.
    public init(_ source: String, ignoringCase: Bool = false) throws(TextPatternError) {
        guard source.utf8.count <= Self.maximumSourceLength else {
            throw TextPatternError(
                reason: "the pattern has \(source.utf8.count) bytes, more than \(Self.maximumSourceLength)", part: "")
        }
        self.source = source
        compiled = try CompiledPattern(source.composed, ignoringCase: ignoringCase)
    }

    /// Capturing groups, not counting the whole match.
    public var groupCount: Int { compiled.groupCount }
    /// The names of the groups that have one.
    public var groupNames: [String] { compiled.groupNames.keys.sorted() }

    /// A textual form, for messages and logs.
    public var description: String { source }

    /// The leftmost match, if there is one.
    public func firstMatch(in text: String) -> PatternMatch? { compiled.firstMatch(in: text) }

    /// Checks whether the pattern matches anywhere in the text.
    public func matches(_ text: String) -> Bool { compiled.matches(text) }
}

/// Why a pattern was refused.
public struct TextPatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A description of the error.
    public let reason: String
    /// The part of the pattern at fault; empty when it is the whole.
    public let part: String

    /// A textual form, for messages and logs.
    public var description: String { part.isEmpty ? reason : "\(reason): \(part)" }
}

/// The match of a pattern: the whole and its groups.
public struct PatternMatch: Sendable, Hashable {
    /// The matched text of each group; 0 is the whole match, nil a group that took no part.
    public let groups: [String?]
    let names: [String: Int]

    /// A match of a whole without groups.
    package init(_ text: String) { (groups, names) = ([text], [:]) }

    init(groups: [String?], names: [String: Int]) { (self.groups, self.names) = (groups, names) }

    /// The whole match.
    public var text: String { groups.first.flatMap(\.self) ?? "" }

    /// A group by number; 0 is the whole match.
    public subscript(group: Int) -> String? { groups.indices.contains(group) ? groups[group] : nil }

    /// A group by name.
    public subscript(name: String) -> String? { names[name].flatMap { self[$0] } }
}

/// Owns the compiled program. Matching does not change it, so it can be shared.
private final class CompiledPattern: @unchecked Sendable {
    let groupCount: Int
    let groupNames: [String: Int]
    private let pattern: OpaquePointer

    init(_ source: String, ignoringCase: Bool) throws(TextPatternError) {
        var source = source
        let pattern: OpaquePointer? = source.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                cre2_compile($0.baseAddress, $0.count, !ignoringCase, TextPattern.maximumMemory)
            }
        }
        guard let pattern else { throw TextPatternError(reason: "out of memory", part: "") }
        if let reason = cre2_error(pattern) {
            let part = cre2_error_argument(pattern).map { String(cString: $0) } ?? ""
            var reason = String(cString: reason)
            // RE2 repeats the part at the end of its reason.
            if !part.isEmpty, reason.hasSuffix(": \(part)") { reason.removeLast(part.count + 2) }
            cre2_release(pattern)
            throw TextPatternError(reason: reason, part: part)
        }
        self.pattern = pattern
        groupCount = Int(cre2_group_count(pattern))
        var names: [String: Int] = [:]
        for group in 0..<groupCount {
            if let name = cre2_group_name(pattern, Int32(group + 1)) { names[String(cString: name)] = group + 1 }
        }
        groupNames = names
    }

    deinit { cre2_release(pattern) }

    func matches(_ text: String) -> Bool {
        withBytes(of: text) { cre2_match(pattern, $0.baseAddress, $0.count, nil, 0) }
    }

    func firstMatch(in text: String) -> PatternMatch? {
        withBytes(of: text) { bytes in
            let count = groupCount + 1
            return withUnsafeTemporaryAllocation(of: cre2_range.self, capacity: count) { ranges in
                guard cre2_match(pattern, bytes.baseAddress, bytes.count, ranges.baseAddress, Int32(count)) else { return nil }
                let groups = ranges.map { range -> String? in
                    guard range.start >= 0 else { return nil }
                    return String(decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range.start..<range.end]), as: UTF8.self)
                }
                return PatternMatch(groups: groups, names: groupNames)
            }
        }
    }

    private func withBytes<Result>(of text: String, _ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        var text = text.composed
        return text.withUTF8 { bytes in bytes.withMemoryRebound(to: CChar.self, body) }
    }
}
