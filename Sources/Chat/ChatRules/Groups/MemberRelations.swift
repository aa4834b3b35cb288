package import SMPWire

/// The relation of two members, as their introducer knows it.
package enum MemberRelation: UInt8, Comparable, Sendable {
    case new = 0
    case introduced = 1
    /// The member whose vector it is has reported that it is connected.
    case subjectConnected = 2
    /// The other member has reported that it is connected.
    case referencedConnected = 3
    case connected = 4

    package static func < (left: MemberRelation, right: MemberRelation) -> Bool { left.rawValue < right.rawValue }
}

/// The relations of one member to the others, one byte for each index in the group: the three lowest bits are the ``MemberRelation``, the fourth is
/// set if the other member was introduced to this one, and the fifth once the invitation of this one was passed on to the other.
///
/// Indexes beyond the end are `new`. A group of *n* members takes at most *n* bytes for each of them, as the index of a member who is gone is used again
/// (or 1,024, if more have joined and left than are there).
package struct MemberRelations: Hashable, Sendable {
    /// The largest index that is kept: no official group is larger.
    package static let largestIndex: Int64 = 1 << 20

    package private(set) var bytes: Bytes

    package init(_ bytes: Bytes = []) { self.bytes = bytes }

    package subscript(index: Int64) -> MemberRelation {
        guard index >= 0, index < bytes.count else { return .new }
        return MemberRelation(rawValue: bytes[Int(index)] & 0x07) ?? .new
    }

    /// Sets a relation that begins with an introduction.
    ///
    /// - Parameter isIntroducedToSubject: True if the other member was introduced to the owner of this vector.
    package mutating func introduce(_ index: Int64, isIntroducedToSubject: Bool) {
        set(index, (isIntroducedToSubject ? 0x08 : 0) | MemberRelation.introduced.rawValue)
    }

    /// Notes that the subject's invitation is passed on to the other member: once, and only if the other member was introduced to the subject and the two
    /// are not connected.
    ///
    /// - Returns: False if it must not be passed on.
    package mutating func passInvitation(to index: Int64) -> Bool {
        let old = byte(index)
        guard self[index] == .introduced, old & 0x08 != 0, old & 0x10 == 0 else { return false }
        set(index, old | 0x10)
        return true
    }

    /// Notes that one of the two has reported the connection. Reports that come again, or too late, change nothing, nor do those of members who
    /// were not introduced to each other.
    package mutating func connect(_ index: Int64, reported: MemberRelation) {
        guard reported == .subjectConnected || reported == .referencedConnected else { return }
        let old = self[index]
        guard old != .new else { return }
        let new: MemberRelation
        switch (old, reported) {
        case (.subjectConnected, .referencedConnected), (.referencedConnected, .subjectConnected): new = .connected
        default: new = max(old, reported)
        }
        guard new != old else { return }
        set(index, (byte(index) & ~0x07) | new.rawValue)
    }

    /// Forgets a member whose index another one gets.
    ///
    /// - Returns: False if nothing was known of it.
    package mutating func forget(_ index: Int64) -> Bool {
        guard byte(index) != 0 else { return false }
        set(index, 0)
        return true
    }

    /// The indexes of members to whom the subject's messages have to be forwarded: those to whom it has not reported the connection itself.
    ///
    /// Its own report comes after the last message that it has left to us. That of the other member may overtake such messages, which nobody would
    /// deliver then. What the other member gets twice it knows by its identifier.
    package var forwardedIndexes: [Int64] {
        bytes.indices.map(Int64.init).filter { self[$0] == .introduced || self[$0] == .referencedConnected }
    }

    /// The indexes of the members to whom the subject was introduced, or who were introduced to it: those it may be connected to.
    package var introducedIndexes: [Int64] { bytes.indices.map(Int64.init).filter { self[$0] != .new } }

    private func byte(_ index: Int64) -> UInt8 { index >= 0 && index < bytes.count ? bytes[Int(index)] : 0 }

    private mutating func set(_ index: Int64, _ byte: UInt8) {
        guard index >= 0, index <= Self.largestIndex else { return }
        if index >= bytes.count { bytes += Bytes(repeating: 0, count: Int(index) - bytes.count + 1) }
        bytes[Int(index)] = byte
    }
}
