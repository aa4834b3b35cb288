import ChatProtocol
import SMPWire
import Testing

/// The versions that a message tells, and what two clients make of them.
@Suite struct VersionTests {
    private func versions(_ json: String) throws -> VersionRange { try ChatMessage(parsing: #"{\#(json)"event":"x.ok","params":{}}"#).versions }

    @Test(
        arguments: [
            ("", 1...1), (#""v":null,"#, 1...1), (#""v":"1","#, 1...1), (#""v":"1-17","#, 1...17), (#""v":"17","#, 17...17), (#""v":"3-3","#, 3...3),
            (#""v":"0-65535","#, 0...65_535), (#""v":"65535","#, 65_535...65_535), (#""v":"01-017","#, 1...17),
        ] as [(String, ClosedRange<UInt16>)]) func theVersionsOfASenderAreRead(json: String, range: ClosedRange<UInt16>) throws
    {
        let read = try versions(json)
        #expect(read == VersionRange(range))
        #expect(try VersionRange(json: read.json) == read)
    }

    @Test(arguments: [
        "\"17-1\"", "\"\"", "\"-\"", "\"1-\"", "\"-17\"", "\"1-17-\"", "\"1-17 \"", "\" 1\"", "\"1–17\"", "\"65536\"", "\"1-65536\"",
        "\"99999999999999999999\"", "\"a\"",
        "\"١\"", "\"+1\"", "\"1.0\"", "17", "[1,17]", "{}", "true",
    ]) func whatIsNoRangeOfVersionsIsNoMessage(value: String) {
        #expect(throws: JSONError.self) { try versions("\"v\":\(value),") }
    }

    /// Both ends of all ranges of a few versions.
    @Test func twoClientsTakeTheHighestVersionOfBoth() throws {
        let ranges = (1...6).flatMap { (low: UInt16) in (low...6).map { low...$0 } }
        for local in ranges {
            for peer in ranges {
                let version = ChatVersions.connectionVersion(local: VersionRange(local), peer: VersionRange(peer))
                let common = Set(local).intersection(peer)
                #expect(peer.contains(version), "the peer understands it")
                if let highest = common.max() {
                    #expect(version == highest)
                } else {
                    #expect(version == (peer.lowerBound > local.upperBound ? peer.lowerBound : peer.upperBound), "the nearest one that the peer has")
                }
            }
        }
    }

    @Test func everyFeatureCameWithASupportedVersion() {
        let features = [
            ChatVersions.groupDirectInvitation, ChatVersions.groupFastLinkJoin, ChatVersions.groupForwarding, ChatVersions.batching,
            ChatVersions.groupHistoryWelcome, ChatVersions.memberProfileUpdate, ChatVersions.compressionAndPostQuantum, ChatVersions.directBatching,
            ChatVersions.businessChats, ChatVersions.businessChatPreferences, ChatVersions.contentReports, ChatVersions.groupJoinRejection,
            ChatVersions.groupKnocking, ChatVersions.shortLinkData, ChatVersions.memberSupportVoice,
        ]
        #expect(features == features.sorted() && Set(features).count == features.count)
        #expect(features.allSatisfy { ChatVersions.supported.contains($0) && !ChatVersions.initial.contains($0) })
    }
}
