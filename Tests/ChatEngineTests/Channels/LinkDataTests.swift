import ChatAPI
import ChatProtocol
import ChatRules
import Testing

@testable import ChatEngine

/// What the link of a known channel shows by now.
@Suite struct LinkDataTests {
    @Test("a new number of subscribers is stored and is no update; a new profile is one")
    func update() async throws {
        let scene = try await ChannelScene(["ann"])
        let ann = scene["ann"].native.engine
        let group = try await scene.info(at: "ann")
        let count = (group.groupSummary.publicMemberCount ?? 0) + 41
        var renamed = group.groupProfile
        renamed.displayName = "renamed"
        for (profile, isUpdated) in [(group.groupProfile, false), (renamed, true), (renamed, false)] {
            let data = GroupShortLinkData(groupProfile: profile, publicGroupData: PublicGroupData(publicMemberCount: count))
            let (current, told) = try await ann.transactions.transaction { transaction in
                try transaction.preparedGroups.update(group.groupID, fromLink: data, of: try transaction.user())
            }
            #expect(told == isUpdated)
            #expect(current.groupSummary.publicMemberCount == count && current.groupProfile == profile)
        }
        await scene.close()
    }
}
