import ChatProtocol
import TestSupport
import Testing

extension Interop {
    /// The ways in which contacts come to be connected, and cease to be.
    @Suite struct Connections {
        @Test(arguments: Meeting.allCases, [false, true])
        func `A one-time link connects`(_ way: Meeting, isShort: Bool) async throws {
            try await seen("one-time link, \(isShort ? "short" : "full")", "made \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try await encounter.host.invitation()
                try await encounter.guest.send("/c \(isShort ? try #require(link.short) : link.full)")
                let (host, guest) = try await encounter.connected()
                try await converse(host, guest, "connected")
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases, [false, true])
        func `An address that accepts by itself connects and greets`(_ way: Meeting, isShort: Bool) async throws {
            try await seen("address, \(isShort ? "short" : "full"), auto-accept and welcome", "made \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try await encounter.host.address()
                let settings: JSONValue = [
                    "businessAddress": false, "autoAccept": ["acceptIncognito": false], "autoReply": ["type": "text", "text": "Welcome!"],
                ]
                try await encounter.host.send("/_address_settings 1 \(settings.text)")
                try await encounter.guest.send("/c \(isShort ? try #require(link.short) : link.full)")
                let (host, guest) = try await encounter.connected()
                try await guest.hear("Welcome!")
                try await converse(host, guest, "greeted")
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases)
        func `The app's way: look at the link, prepare the contact, ask with a message, be accepted`(_ way: Meeting) async throws {
            try await seen("address, planned and prepared, request with a message, accepted by hand", "made \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = (encounter.host, encounter.guest)
                let link = try await host.address()
                let plan = try await guest.send("/_connect plan 1 \(try #require(link.short))")
                let data = try #require(plan["connectionPlan"]?["contactAddressPlan"]?["contactSLinkData_"])
                try #require(data["profile"]?["displayName"]?.stringValue == host.name)
                let prepared = try await guest.send("/_prepare contact 1 \(link.full) \(try #require(link.short)) \(data.text)")
                let contact = try #require(prepared["chat"]?["chatInfo"]?["contact"]?["contactId"]?.intValue)
                try await guest.send("/_connect contact @\(contact) incognito=off text Please let me in")
                let request = try await host.event("receivedContactRequest")
                let id = try #require(request["contactRequest"]?["contactRequestId"]?.intValue)
                try #require(request["contactRequest"]?["profile"]?["displayName"]?.stringValue == guest.name)
                try await host.send("/_accept \(id)")
                let sides = try await encounter.connected()
                try #require(sides.guest.contact == contact)
                let texts = try await sides.host.history(10).filter(\.isReceived).compactMap(\.itemText)
                try #require(texts == ["Please let me in"])
                try await converse(sides.host, sides.guest, "accepted")
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `Who is turned away may ask again`(_ way: Meeting) async throws {
            try await seen("request rejected, then asked again and accepted", way.who, through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try await encounter.host.address()
                for isAccepted in [false, true] {
                    try await encounter.guest.send("/_connect 1 incognito=on \(link.full)")
                    let request = try await encounter.host.event("receivedContactRequest")
                    let id = try #require(request["contactRequest"]?["contactRequestId"]?.intValue)
                    let answer = try await encounter.host.send(isAccepted ? "/_accept \(id)" : "/_reject \(id)")
                    try #require(answer["type"]?.stringValue == (isAccepted ? "acceptingContactRequest" : "contactRequestRejected"))
                }
                try await encounter.guest.connected(to: encounter.host.name)
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `The short link of an address shows the profile as it is now`(_ way: Meeting) async throws {
            try await seen("short link updated with the profile", "made \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try #require(try await encounter.host.address().short)
                for name in ["Hanna One", "Hanna Two"] {
                    let profile: JSONValue = ["displayName": .string(encounter.host.name), "fullName": .string(name)]
                    try await encounter.host.send("/_profile 1 \(profile.text)")
                    // The client answers before the router has the new data.
                    try await eventually("the link shows \(name)") {
                        let plan = try await encounter.guest.send("/_connect plan 1 \(link)")
                        return plan["connectionPlan"]?["contactAddressPlan"]?["contactSLinkData_"]?["profile"]?["fullName"]?.stringValue == name
                    }
                }
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A contact that connects by an address again is known`(_ way: Meeting) async throws {
            try await seen("a second connection to the same address is recognised", "made \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let link = try await encounter.host.address()
                try await encounter.host.send(#"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#)
                try await encounter.guest.send("/c \(try #require(link.short))")
                let (_, guest) = try await encounter.connected()
                let plan = try #require(try await encounter.guest.send("/_connect plan 1 \(link.short ?? "")")["connectionPlan"])
                try #require(plan["contactAddressPlan"]?["type"] == "known")
                try #require(plan["contactAddressPlan"]?["contact"]?["contactId"]?.intValue == guest.contact)
                let again = try await encounter.guest.send("/_connect 1 \(link.full)")
                try #require(again["type"] == "contactAlreadyExists")
                try #require(again["contact"]?["contactId"]?.intValue == guest.contact)
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `An incognito guest shows another name`(_ way: Meeting) async throws {
            try await seen("incognito connection", "to a link \(way.who)", through: way.router) {
                let encounter = try await Encounter.prepare(way)
                try await encounter.guest.send("/_connect 1 incognito=on \(try await encounter.host.invitation().full)")
                let contact = try await encounter.host.event("contactConnected")["contact"]
                try #require(contact?["localDisplayName"]?.stringValue != encounter.guest.name)
                let host = Side(party: encounter.host, contact: try #require(contact?["contactId"]?.intValue))
                let guest = Side(party: encounter.guest, contact: try await encounter.guest.connected(to: encounter.host.name))
                try await converse(host, guest, "incognito")
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A profile changed is seen by contacts`(_ way: Meeting) async throws {
            try await seen("profile update", way.who, through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (_, guest) = try await encounter.connect()
                try await encounter.host.send(#"/_profile 1 {"displayName":"johanna","fullName":"Johanna","shortDescr":"hi"}"#)
                let contact = try await encounter.guest.event("contactUpdated") { event in
                    event["toContact"]?["profile"]?["displayName"] == "johanna" ? event["toContact"] : nil
                }
                try #require(contact["contactId"]?.intValue == guest.contact)
                try #require(contact["localDisplayName"] == "johanna")
                try await encounter.close()
            }
        }

        @Test(arguments: Meeting.allCases) func `A deleted contact is told`(_ way: Meeting) async throws {
            try await seen("contact deletion", way.who, through: way.router) {
                let encounter = try await Encounter.prepare(way)
                let (host, guest) = try await encounter.connect()
                try await converse(host, guest, "for now")
                try await host.party.send("/_delete @\(host.contact) full notify=on")
                try await guest.party.event("contactDeletedByContact") { event in
                    event["contact"]?["contactId"]?.intValue == guest.contact ? true : nil
                }
                try #require(try await guest.record()["contactStatus"] == "deleted")
                try #require(try await host.party.send("/_contacts 1")["contacts"]?.arrayValue?.contains { $0["contactId"]?.intValue == host.contact } == false)
                try await encounter.close()
            }
        }
    }
}
