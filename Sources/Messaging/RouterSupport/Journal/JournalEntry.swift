package import SMPWire

/// A record of a journal. Every record is complete by itself, so that old segments can be cleared by copying the needed records to the end.
package protocol JournalEntry: Sendable {
    /// The kind of the record: 1 to 255, never used for another.
    var code: UInt8 { get }
    /// True if the answer to the command must wait until the record survives a loss of power.
    var mustBeSynchronized: Bool { get }
    /// Appends the attributes: at most 65,536 bytes.
    func encode(to writer: inout WireWriter)
    /// Reads the attributes of a record of this kind.
    init(code: UInt8, _ attributes: Bytes) throws(WireError)
}
