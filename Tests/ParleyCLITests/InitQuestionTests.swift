import Foundation
import TestSupport
import Testing

@testable import ParleyCLI

/// The questions of `parley init`, with answers of all kinds.
@Suite struct InitQuestionTests {
    /// What is shown and asked while answers are given.
    private final class Dialogue {
        var answers: [String]
        private(set) var shown: [String] = []
        private(set) var asked: [String] = []

        init(_ answers: [String]) { self.answers = answers }

        func run() throws -> InitQuestions.Answers {
            try InitQuestions(
                ask: { question in
                    self.asked.append(question)
                    return self.answers.isEmpty ? nil : self.answers.removeFirst()
                }, show: { self.shown.append($0) }
            ).answers()
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func emptyAnswersTakeWhatStandsInBrackets() throws {
        let dialogue = Dialogue(["", " ", "", "", folder("b.yaml")]), answers = try dialogue.run()
        #expect(answers == InitQuestions.Answers(path: folder("b.yaml")))
        #expect(
            dialogue.asked == [
                "Number [1]: ", "What is it called? [Helper]: ", "Numbers, as in 1 3 [1]: ", "Number [1]: ", "File name [bots.yaml]: ",
            ])
    }

    @Test func theConditionsOfUseAreNamedWhereTheyAreAccepted() throws {
        let dialogue = Dialogue(["", "", "", "2", folder("b.yaml")])
        #expect(try dialogue.run().isPublic)
        #expect(dialogue.shown.contains { $0.contains("PRIVACY.md") && $0.contains("accepts their conditions of use") })
    }

    @Test func aPackageIsAskedForNothingThatItDoesNotHave() throws {
        let dialogue = Dialogue(["2", "Dice", folder("dice")]), answers = try dialogue.run()
        #expect(answers == InitQuestions.Answers(isSwift: true, name: "Dice", path: folder("dice")))
        #expect(dialogue.asked.last == "Folder name [bot]: ")
    }

    @Test(
        arguments: [
            ("1 3", [.echo, .form]), ("4,2", [.questions, .moderation]), ("1 1 1", [.echo]), ("4 3 2 1", [.echo, .questions, .form, .moderation]),
            ("1and2", [.echo, .questions]), ("2.", [.questions]),
        ] as [(String, [BotsFileTemplate.Feature])])
    func severalPartsAreChosenByTheirNumbers(_ numbers: String, _ features: [BotsFileTemplate.Feature]) throws {
        #expect(
            try Dialogue(["1", "Bread", numbers, "2", folder("b.yaml")]).run()
                == InitQuestions.Answers(name: "Bread", features: features, isPublic: true, path: folder("b.yaml")))
    }

    @Test func whatCannotBeUsedIsAskedAgainWithAReason() throws {
        let long = String(repeating: "ü", count: 32)
        try Data().write(to: URL(fileURLWithPath: folder("there.yaml")))
        let dialogue = Dialogue([
            "0", "3", "one", "99999999999999999999", "1", long + "x", long, "5", "0", "all", "1 5", "٢", "2", "-1", "2", folder("there.yaml"), folder.path,
            folder("new.yaml"),
        ])
        #expect(try dialogue.run() == InitQuestions.Answers(name: long, features: [.questions], isPublic: true, path: folder("new.yaml")))
        #expect(dialogue.answers.isEmpty)
        #expect(dialogue.shown.count { $0 == "A number from 1 to 2, please." } == 5)
        #expect(dialogue.shown.count { $0 == "Numbers from 1 to 4, please." } == 5)
        #expect(dialogue.shown.contains("A name has 64 bytes at most."))
        #expect(dialogue.shown.suffix(2) == ["\(folder("there.yaml")) is there already.", "\(folder.path) is there already."])
    }

    @Test func theEndOfTheInputAtAnyQuestionEndsWithoutAnAnswer() throws {
        let whole = ["1", "Bread", "1 2", "1", folder("b.yaml")]
        for count in whole.indices {
            for given in [
                Array(whole[..<count]),
                Array(whole[..<count]) + Array(repeating: count == 1 || count == 4 ? String(repeating: "x", count: 65) : "what?", count: count == 4 ? 0 : 3),
            ] {
                let error = #expect(throws: Outcome.BadInput.self) { try Dialogue(given).run() }
                #expect(error?.code == "init.noAnswer", "\(given)")
            }
        }
    }
}
