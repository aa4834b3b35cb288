import ChatAPI
import ChatProtocol
import ChatRules
import SMPWire
import Testing

/// Public groups of kinds of newer versions.
@Suite("Kinds of public groups")
struct PublicGroupKindTests {
    @Test(arguments: [(GroupType?.none, true), (.channel, true), (.group, false), (.unknown("forum"), false)])
    func `only channels are joined by relays, and another kind asks for an update`(type: GroupType?, isKnown: Bool) throws {
        let group = type.map { PublicGroupProfile(groupType: $0, groupLink: "l", publicGroupID: Base64URLBytes([1])) }
        let data = GroupShortLinkData(groupProfile: GroupProfile(displayName: "news", publicGroup: group))
        #expect(ChannelRules.knowsKind(of: data) == isKnown)
        let plan = ConnectionPlan.groupLink(plan: .updateRequired(linkData: data))
        #expect(plan.json["groupLinkPlan"]?["type"] == "updateRequired" && plan.json["groupLinkPlan"]?["groupSLinkData_"] == data.json)
        #expect(try ConnectionPlan(json: plan.json) == plan)
    }
}
