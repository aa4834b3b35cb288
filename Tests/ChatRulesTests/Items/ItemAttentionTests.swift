import ChatAPI
import ChatProtocol
import Testing

@testable import ChatRules

@Suite("Items that bring their chat to the top")
struct ItemAttentionTests {
    private static let unread: [ItemContent] = [
        .receivedMessage(content: .text("a")), .receivedDeleted(mode: .broadcast),
        .receivedCall(status: .missed, duration: 0),
        .receivedIntegrityError(error: .badHash), .receivedModerated,
        .receivedGroupEvent(event: .userDeleted), .receivedGroupEvent(event: .groupDeleted),
        .receivedGroupEvent(event: .userRole(role: .admin)),
        .receivedGroupEvent(event: .newMemberPendingReview),
        .receivedGroupFeatureRejected(feature: .voice),
    ]
    private static let quiet: [ItemContent] = [
        .receivedGroupEvent(event: .memberConnected), .receivedGroupEvent(event: .memberLeft),
        .receivedDirectEvent(event: .contactDeleted), .receivedBlocked,
        .chatBanner, .receivedDirectEncryption(info: EncryptionInfo(pqEnabled: true)),
    ]

    @Test(
        "what others write or decide about this profile is unread; what happens to others is read at once"
    )
    func received() {
        for content in Self.unread {
            #expect(
                content.requiresAttention(isSent: false)
                    && content.initialStatus(isSent: false) == .receivedNew, "\(content)")
        }
        for content in Self.quiet {
            #expect(
                !content.requiresAttention(isSent: false)
                    && content.initialStatus(isSent: false) == .receivedRead, "\(content)")
        }
    }

    @Test("whatever this profile does brings the chat to the top, and is new")
    func sent() {
        for content in Self.unread + Self.quiet {
            #expect(
                content.requiresAttention(isSent: true) && content.initialStatus(isSent: true) == .sendNew)
        }
    }
}

@Suite("Stored items")
struct StoredItemTests {
    @Test("an item shows its comments if it has any, and that they are closed if they are")
    func comments() {
        let plain = RuleFixtures.item().item.meta
        #expect(
            plain.commentsTotal == nil && plain.commentsDisabled == nil,
            "an item without comments says nothing of them")
        let meta = RuleFixtures.item { ($0.group.commentsTotal, $0.group.commentsDisabled) = (1, true) }
            .item.meta
        #expect(meta.commentsTotal == 1 && meta.commentsDisabled == true)
    }
}
