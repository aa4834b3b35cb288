import Foundation
import Parley

/// A desk for customers: each gets a chat of its own, and the colleagues are added to it. Run it with `swift run SupportDesk`.
///
/// Customers connect to the address. Colleagues connect by one-time invitations: `DESK_INVITE=3 swift run SupportDesk` prints three.
/// `DESK_HOURS="1-5 09:00-17:00"` are the opening hours, in the time zone of the machine.
@main struct SupportDesk {
    static func main() async {
        let environment = ProcessInfo.processInfo.environment
        guard let hours = OpeningHours(environment["DESK_HOURS"] ?? "1-5 09:00-17:00") else {
            FileHandle.standardError.write(Data("DESK_HOURS must look like \"1-5 09:00-17:00\": days from 1, Monday, to 7, and times.\n".utf8))
            exit(2)
        }
        let invitations = Int(environment["DESK_INVITE"] ?? "") ?? 0
        await BotHost([bot(DeskPolicy(hours: hours))]).run { ready in
            for profile in ready.profiles {
                say("\(profile.name) can be reached at\n\(profile.shortAddress ?? profile.address ?? "-")")
                Task {
                    do {
                        for _ in 0..<min(max(invitations, 0), 20) { say("For one colleague: \(try await profile.chats.makeInvitation())") }
                    } catch {
                        FileHandle.standardError.write(Data("No invitation was made: \(error)\n".utf8))
                    }
                }
            }
        }
    }

    /// The bot of the desk.
    static func bot(_ policy: DeskPolicy) -> Bot {
        Bot("Support Desk", bio: "Ask us anything", address: .business(welcome: "Welcome! One moment, please.")) {
            // Contacts are colleagues: customers get business chats.
            On(.connected) { colleague in
                try await colleague.send("You are a colleague now: I add you to the chat of each new customer.")
            }
            On(.command("hours", "When we are open"), in: [.contacts, .businessChats]) { message in
                try await message.reply("We are here \(policy.hours.text).")
            }
            On(.memberJoined, in: .businessChats, where: { $0.member.isCustomer }) { customer in
                let colleagues = await customer.chats.all.compactMap(\.contactID)
                for colleague in colleagues { try await customer.group?.invite(colleague) }
                let now = Calendar.current.dateComponents([.weekday, .hour, .minute], from: Date())
                // Sunday is 1 in a calendar, and the last day here.
                let day = ((now.weekday ?? 1) + 5) % 7 + 1, minute = (now.hour ?? 0) * 60 + (now.minute ?? 0)
                try await customer.send(policy.greeting(of: customer.member.displayName, day: day, minute: minute, colleagues: colleagues.count))
            }
        }
    }

    /// Prints a line at once, also into a file.
    private static func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
}
