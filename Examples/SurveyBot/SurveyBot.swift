import Foundation
import Parley

/// Asks three questions and keeps the answers. Run it with `swift run SurveyBot`.
@main struct SurveyBot {
    static func main() async { await bot.run() }

    static let bot = Bot("Survey", bio: "Three questions, one minute", address: .automatic(welcome: "Hello! Send /survey to begin.")) {
        On.help("I ask three questions. Nobody but my owner sees the answers.")
        On(.command("survey", "Answer three questions")) { message in
            try await message.begin(Question.visits, "How often do you visit us? A number of days a month, please.")
        }
        On(.command("cancel", "Stop the survey")) { message in
            try await message.endDialogue(Question.self)
            try await message.send("Stopped. Nothing was kept.")
        }
        On(.command("results", "Show what people answered")) { message in
            try await message.send(try await message.state(Results.self, of: .bot).summary)
        }
        On(.command("forget", "Delete my answers")) { message in
            let person = message.person.description
            try await message.update(Results.self, of: .bot) { $0.answers[person] = nil }
            try await message.deleteData()
            try await message.send("Your answers are deleted.")
        }
        On(.dialogue(Question.self)) { step in
            switch step.state {
            case .visits:
                guard let days = Int(step.text), (0...31).contains(days) else { return try await step.stay("A number from 0 to 31, please.") }
                try await step.next(.grade(visits: days), "How do you like it, from 1 to 5?")
            case .grade(let visits):
                guard let grade = Int(step.text), (1...5).contains(grade) else { return try await step.stay("A number from 1 to 5, please.") }
                try await step.next(.wish(visits: visits, grade: grade), "What should we do better?")
            case .wish(let visits, let grade):
                let answer = Answer(visits: visits, grade: grade, wish: step.text), person = step.person.description
                try await step.update(Results.self, of: .bot) { $0.answers[person] = answer }
                try await step.end("Thank you!")
            }
        }
        On(.dialogueTimeout(Question.self)) { dialogue in
            try await dialogue.send("I stop waiting for your answer. Send /survey to begin again.")
        }
        On(.anyMessage) { message in
            try await message.send("Send /survey to begin.")
        }
    }
}

/// The question that the bot waits for the answer of, with the answers so far.
enum Question: DialogueState {
    case visits
    case grade(visits: Int)
    case wish(visits: Int, grade: Int)

    static let timeout: Duration? = .seconds(24 * 3600)
}

/// The answers of one person.
struct Answer: Codable, Sendable {
    var visits: Int
    var grade: Int
    var wish: String
}

/// The answers of everybody, by person: who answers again replaces the former answers.
struct Results: StoredState {
    var answers: [String: Answer] = [:]

    var summary: String {
        guard !answers.isEmpty else { return "Nobody has answered yet." }
        let grades = answers.values.map(\.grade), visits = answers.values.map(\.visits)
        func mean(_ numbers: [Int]) -> String {
            (Double(numbers.reduce(0, +)) / Double(numbers.count)).formatted(.number.precision(.fractionLength(1)).locale(Locale(identifier: "en")))
        }
        return "\(answers.count) answered. Mean grade: \(mean(grades)). Mean days a month: \(mean(visits))."
    }
}
