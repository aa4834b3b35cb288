import ChatProtocol
import Testing

extension Interop {
    /// Chats of a business with its customers.
    @Suite struct BusinessChats {
        @Test(arguments: Meeting.allCases)
        func `Colleagues are added to the chat with a customer, and all of them talk`(_ way: Meeting) async throws {
            try await seen("business chat with two colleagues, one of each implementation", "of a business \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try await encounter.host.address()
                try await encounter.host.send(#"/_address_settings 1 {"businessAddress":true,"autoAccept":{"acceptIncognito":false}}"#)
                try await encounter.guest.send("/c \(link.full)")
                try await encounter.guest.event("userJoinedGroup")
                var all = [encounter.host, encounter.guest]
                for (name, implementation) in [("petra", way.host), ("otto", way.host.other)] {
                    let colleague = try await implementation.party(name, servers: [encounter.router.address])
                    try await colleague.send("/c \(try await encounter.host.invitation().full)")
                    let contact = try await encounter.host.connected(to: name)
                    try await colleague.connected(to: encounter.host.name)
                    try await encounter.host.send("/_add #1 \(contact) member")
                    try await colleague.event("receivedGroupInvitation")
                    try await colleague.send("/_join #1")
                    try await colleague.event("userJoinedGroup")
                    for other in all.dropFirst() {
                        try await other.meets(name)
                        try await colleague.meets(other.name)
                    }
                    all.append(colleague)
                }
                let group = Gathering(router: encounter.router, host: all[0], guest: all[1], third: all[2], link: "")
                for speaker in all {
                    try await group.say("written by \(speaker.name)", as: speaker)
                    for listener in all where listener.name != speaker.name {
                        let author = try await group.hear("written by \(speaker.name)", as: listener)["chatDir"]?["groupMember"]
                        try #require(author?["memberProfile"]?["displayName"]?.stringValue == speaker.name, "whom \(listener.name) hears")
                    }
                }
                for party in all {
                    let info = try await party.send("/_members #1")["group"]
                    // The customer has a chat with the business, the others with the customer.
                    let isCustomer = party.name == encounter.guest.name
                    let kind = info?["groupInfo"]?["businessChat"]?["chatType"]?.stringValue
                    try #require(kind == (isCustomer ? "business" : "customer"), "what \(party.name) has")
                    let title = info?["groupInfo"]?["groupProfile"]?["displayName"]?.stringValue
                    try #require(title == (isCustomer ? encounter.host : encounter.guest).name, "what \(party.name) has")
                    try #require(info?["members"]?.arrayValue?.count == 3, "what \(party.name) has")
                }
                for party in all { try await party.leave() }
            }
        }
    }
}
