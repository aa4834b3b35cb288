import ChatAPI
import ChatProtocol
import Testing
import TranscriptSupport

/// Values of newer cores are kept as they came, at whatever depth they stand.
@Suite struct UnknownFormTests {
    private static let odd: [JSONValue] = [
        .null, 5, "laterOne", true, [], ["type"], [:], ["type": 5], ["type": .null], ["type": "laterOne"], ["type": "laterOne", "data": [1, .null, ["a": 1]]],
        ["Type": "user"],
        ["type": ""], ["type": "user "], ["type": "USER"],
    ]

    private func expectKept<Form: JSONTagged & Equatable>(_ type: Form.Type, _ json: JSONValue) throws {
        let value = try Form(json: json)
        #expect(value == Form.other(tag: json["type"]?.stringValue ?? "", json: json))
        #expect(value.json == json && value.jsonText == json.text)
        #expect(value.tag == json["type"]?.stringValue ?? "")
    }

    @Test(arguments: odd) func aFormThatIsNotKnownIsKept(json: JSONValue) throws {
        try expectKept(InvitedBy.self, json)
        try expectKept(ChatInfo.self, json)
        try expectKept(ItemContent.self, json)
        try expectKept(ChatResponse.self, json)
        try expectKept(ChatEvent.self, json)
        try expectKept(ChatError.self, json)
        try expectKept(StoreError.self, json)
    }

    @Test func anErrorThatIsNotKnownStillHasACodeAndAMessage() throws {
        let errors: [(JSONValue, String)] = [
            (["type": "errorStore", "storeError": ["type": "laterOne", "x": 1]], "errorStore.laterOne"),
            (
                ["type": "errorAgent", "agentError": ["type": "SMP", "serverAddress": "a", "smpErr": ["type": "LATER"]], "agentConnId": ""],
                "errorAgent.SMP.LATER"
            ),
            (["type": "errorLater"], "errorLater"), (["type": "errorStore", "storeError": [:]], "errorStore."), (5, ""),
        ]
        for (json, code) in errors {
            let error = try ChatError(json: json)
            #expect(error.code == code)
            #expect(error.message == "The core reported \(code).")
            #expect(error.json == json)
            #expect(ChatCoreError(error).chatError == error)
        }
    }

    /// A known form whose member has a form that is not known is known itself.
    @Test func onlyTheFormThatIsNotKnownIsKept() throws {
        let json: JSONValue = [
            "type": "errorAgent", "agentError": ["type": "BROKER", "brokerAddress": "a", "brokerErr": ["type": "LATER", "x": [1]]], "agentConnId": "c",
        ]
        guard case .agent(.broker("a", .other("LATER", let kept)), "c", nil) = try ChatError(json: json) else {
            Issue.record("the error of the agent is known")
            return
        }
        #expect(kept == ["type": "LATER", "x": [1]])
    }

    /// Words are kept one by one; a word of another type than a text is an error of what holds it.
    @Test func wordsThatAreNotKnownAreKept() throws {
        let status: GroupMemberStatus = try GroupMemberStatus(json: "promoted")
        #expect(!status.isKnown && status.json == "promoted" && "\(status)" == "promoted")
        #expect(!status.isCurrent && !status.isPending && !status.isRemoved)
        for known in GroupMemberStatus.allCases { #expect(known.isKnown) }
        for json: JSONValue in [5, .null, true, ["connected"]] { #expect(throws: JSONError.self) { try GroupMemberStatus(json: json) } }
        #expect(GroupMemberStatus(rawValue: "Connected") != .connected)
    }

    @Test func aMembershipIsCurrentPendingRemovedOrNeither() {
        let current: Set<GroupMemberStatus> = [.introduced, .introductionInvited, .accepted, .announced, .connected, .complete, .creator]
        let pending: Set<GroupMemberStatus> = [.pendingApproval, .pendingReview]
        let removed: Set<GroupMemberStatus> = [.rejected, .removed, .left, .groupDeleted]
        for status in GroupMemberStatus.allCases {
            #expect(
                status.isCurrent == current.contains(status) && status.isPending == pending.contains(status) && status.isRemoved == removed.contains(status))
        }
        #expect(Set(GroupMemberStatus.allCases).subtracting(current).subtracting(pending).subtracting(removed) == [.unknown, .invited])
    }

    /// Values without names are an array; one that is null or missing at the end is absent.
    @Test func valuesWithoutNamesStandInTheirOrder() throws {
        let user = try SampleValue.of("user")
        let without: JSONValue = ["type": "chatItemId", "data": [user, .null]]
        guard case .chatItemID(let read, nil) = try ChatResponse(json: without) else {
            Issue.record("the item may be absent")
            return
        }
        #expect(try read.json(for: .v65) == user)
        #expect(try ChatResponse(json: without).json(for: .v65) == without)
        #expect(try ChatResponse(json: ["type": "chatItemId", "data": [user]]).json(for: .v65) == without)
        #expect(try ChatResponse(json: ["type": "chatItemId", "data": [user, 7, "more"]]).json(for: .v65) == ["type": "chatItemId", "data": [user, 7]])
        for data: JSONValue in [[], [.null, 7], [7, user], ["x": 1], .null] { try expectKept(ChatResponse.self, ["type": "chatItemId", "data": data]) }
        try expectKept(ChatResponse.self, ["type": "chatItemId"])
    }
}
