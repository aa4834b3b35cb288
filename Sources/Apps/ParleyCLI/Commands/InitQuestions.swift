internal import Foundation

/// The questions of `parley init`. What cannot be used is asked again.
struct InitQuestions {
    /// The answers.
    struct Answers: Equatable {
        var isSwift = false
        var name = "Helper"
        var features: [BotsFileTemplate.Feature] = [.echo]
        var isPublic = false
        var path = "bots.yaml"
    }

    /// Shows a question and returns a line; nil at the end of the input.
    let ask: (String) -> String?
    /// Shows a line.
    let show: (String) -> Void

    /// Asks everything.
    ///
    /// - Throws: ``Outcome/BadInput`` `init.noAnswer` at the end of the input.
    func answers() throws -> Answers {
        var answers = Answers()
        show("Press Enter for the value in brackets.")
        answers.isSwift = try choose("How do you want to write the bot?", ["in YAML, without programming", "in Swift"], default: 0) == 1
        answers.name = try line("What is it called?", default: answers.name) { name in
            name.utf8.count > 64 ? "A name has 64 bytes at most." : nil
        }
        if !answers.isSwift {
            answers.features = try features()
            answers.isPublic =
                try choose(
                    "Who should be able to reach it?",
                    [
                        "this machine only, for trying it: a router runs inside the bot's process",
                        "everybody with the SimpleX app, over the routers of SimpleX Chat and Flux: the file accepts their conditions of use, \(Self.conditions)",
                    ], default: 0) == 1
        }
        answers.path = try line(
            answers.isSwift ? "Folder name" : "File name", default: answers.isSwift ? "bot" : answers.path
        ) { path in FileManager.default.fileExists(atPath: path) ? "\(path) is there already." : nil }
        return answers
    }

    /// Where the conditions of use of the public network's operators are.
    static let conditions = "https://github.com/simplex-chat/simplex-chat/blob/stable/PRIVACY.md"

    private func features() throws -> [BotsFileTemplate.Feature] {
        let all = BotsFileTemplate.Feature.allCases
        show("What should the bot do besides /help?")
        for (number, feature) in all.enumerated() { show("  \(number + 1)) \(feature.title)") }
        var chosen: [BotsFileTemplate.Feature] = []
        _ = try line("Numbers, as in 1 3", default: "1") { text in
            let numbers = text.split { !$0.isNumber }.map { Int($0) ?? 0 }
            guard !numbers.isEmpty, numbers.allSatisfy((1...all.count).contains) else { return "Numbers from 1 to \(all.count), please." }
            chosen = Set(numbers).sorted().map { all[$0 - 1] }
            return nil
        }
        return chosen
    }

    private func choose(_ question: String, _ choices: [String], default index: Int) throws -> Int {
        show(question)
        for (number, choice) in choices.enumerated() { show("  \(number + 1)) \(choice)") }
        var chosen = index
        _ = try line("Number", default: "\(index + 1)") { text in
            guard let number = Int(text), (1...choices.count).contains(number) else { return "A number from 1 to \(choices.count), please." }
            chosen = number - 1
            return nil
        }
        return chosen
    }

    /// - Parameter problem: Why an answer cannot be used; nil if it can.
    private func line(_ question: String, default value: String, _ problem: (String) -> String?) throws -> String {
        while true {
            guard let line = ask("\(question) [\(value)]: ") else {
                throw Outcome.BadInput("init.noAnswer", description: "the input ended before all questions were answered: nothing was written")
            }
            let text = line.trimmingCharacters(in: .whitespaces), answer = text.isEmpty ? value : text
            guard let problem = problem(answer) else { return answer }
            show(problem)
        }
    }
}
