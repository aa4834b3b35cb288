import SMPWire

extension WireParser {
    /// A message's number, of the peer's or of ours, as the peer says it.
    ///
    /// - Throws: ``WireError`` `invalidValue` unless it is one of ``AgentLimits/messageIDs``.
    mutating func messageID() throws(WireError) -> Int64 {
        let start = offset
        let id: Int64 = try read()
        guard AgentLimits.messageIDs.contains(id) else {
            throw WireError(.invalidValue, "a message's number is from 0 to 2^62", at: start)
        }
        return id
    }
}
