import ChatAPI
import Parley
import ParleyTesting
import Testing

/// Bots that decide who may connect, and bots that give each customer a group.
@Suite struct RequestBotTests {
    private struct Asked: StoredState { var names: [String] = [] }
    private struct Undecided: Error {}

    private static func doorman() -> Bot {
        Bot("Doorman", address: .manual(welcome: "Come in.")) {
            On(.contactRequest) { request in
                let name = request.name
                try await request.client.update(Asked.self) { $0.names.append(name) }
                switch name {
                case "Ann": try await request.accept()
                case "Ben": try await request.reject()
                default: break
                }
            }
            On(.text) { try await $0.reply("Yes?") }
        }
    }

    @Test func eachIsAskedAboutOnceAlsoOverRestartsAndNobodyComesInUninvited() async throws {
        try await withBots(Self.doorman()) { room in
            let people = ["Ann": try await room.stranger("Ann"), "Ben": try await room.stranger("Ben"), "Cat": try await room.stranger("Cat")]
            for name in ["Ann", "Ben", "Cat"] {
                try await people[name]?.request("Doorman")
                try await room.settle()
            }
            try await people["Ann"]?.expect("Come in.")
            try await people["Ann"]?.say("hello")
            try await people["Ann"]?.expect("Yes?")
            for _ in 1...2 { try await room.restart() }
            let client = try room.bot("Doorman")
            #expect(try await client.state(Asked.self).names == ["Ann", "Ben", "Cat"])
            #expect(await client.contacts.count == 1)
        }
    }

    @Test func eachCustomerOfABusinessHasAGroupInWhichHandlersOfContactsAreSilent() async throws {
        let shop = Bot("Shop", address: .business(welcome: "How can we help?")) {
            On(.text, in: .contacts) { try await $0.send("as a contact") }
            On(.text, in: .groups) { try await $0.send("as a group") }
            On(.text, in: .businessChats) { message in
                let visits = try await message.update(Asked.self, of: .chat) { asked in
                    asked.names.append(message.senderName)
                    return asked.names
                }
                try await message.send(visits.joined(separator: ","))
            }
        }
        try await withBots(shop) { room in
            var customers: [TestPerson] = []
            for name in ["Ann", "Ben"] {
                let customer = try await room.stranger(name)
                try await customer.request("Shop")
                try await room.settle()
                customers.append(customer)
            }
            for (customer, expected) in zip(customers, ["Ann", "Ben"]) {
                try await customer.expect("How can we help?", in: "Shop")
                try await customer.say("hello", in: "Shop")
                try await customer.expect(expected, in: "Shop")
            }
            try await room.restart()
            try await customers[0].say("again", in: "Shop")
            try await customers[0].expect("Ann,Ann", in: "Shop")
            try await customers[1].expectNothing(in: "Shop")
        }
    }
}
