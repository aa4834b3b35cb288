internal import Foundation
internal import Synchronization

/// A number that somebody gives as an answer: alone, in a short sentence, in digits of any script, or in words.
package enum NumberAnswer: Sendable, Hashable {
    /// The text holds no number, or is too long to be an answer.
    case none
    case number(Int)
    /// The text holds several numbers, or one that is not a whole number from 0 up.
    case unclear

    /// The characters that an answer has at the most: a longer text is not read as one.
    package static let longestText = 200
    /// The largest number that is read in words.
    static let largestInWords = 199

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - given: numbers of the question. The answer may repeat each of them once beside the number: `14 + 4 = 18`.
    ///   - least: the smallest number that is read in words: "one" often is no number.
    ///   - languages: in which numbers are read in words, as in `thirty-one`. Digits are read in all scripts.
    package init(_ text: String, given: [Int] = [], least: Int = 0, languages: [String] = ["en"]) {
        guard text.unicodeScalars.count <= Self.longestText else {
            self = .none
            return
        }
        let all = Self.numbers(in: text, words: languages.map(NumberWords.init(language:)), least: least)
        var found = all
        for number in given {
            if found.count > 1, let index = found.firstIndex(of: number) { found.remove(at: index) }
        }
        guard let first = found.first else {
            self = .none
            return
        }
        guard found.count == 1, let number = first else {
            self = .unclear
            return
        }
        // Who repeats the question has not answered it.
        self = all.count > 1 && given.contains(number) ? .none : .number(number)
    }

    /// The numbers of a text in their order; nil for one that is not a whole number, is negative or is too large.
    private static func numbers(in text: String, words: [NumberWords], least: Int) -> [Int?] {
        let characters = Array(AnswerText.withASCIIDigits(text).precomposedStringWithCompatibilityMapping.lowercased())
        var found: [Int?] = [], index = 0, letters: [String] = []
        func endWords() {
            found += words.lazy.map { $0.numbers(in: letters).filter { $0 >= least } }.first { !$0.isEmpty } ?? []
            letters = []
        }
        while index < characters.count {
            let character = characters[index]
            if isDigit(character) {
                endWords()
                let start = index
                index = end(ofNumberAt: index, in: characters)
                found.append(isNegative(at: start, in: characters) ? nil : value(of: characters[start..<index]))
            } else if character.isLetter {
                let start = index
                while index < characters.count, characters[index].isLetter { index += 1 }
                letters.append(String(characters[start..<index]))
            } else {
                // Words of one number are joined by spaces and hyphens.
                if !character.isWhitespace, !"-‐‑".contains(character) { endWords() }
                index += 1
            }
        }
        endWords()
        return found
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

    /// The end of digits, with the points and commas between them.
    private static func end(ofNumberAt start: Int, in characters: [Character]) -> Int {
        var index = start
        while index < characters.count {
            if isDigit(characters[index]) {
                index += 1
            } else if ".,٫٬'".contains(characters[index]), index + 1 < characters.count, isDigit(characters[index + 1]) {
                index += 1
            } else {
                break
            }
        }
        return index
    }

    private static func value(of digits: ArraySlice<Character>) -> Int? { digits.count <= 15 ? Int(String(digits)) : nil }

    /// Checks whether there is a sign before a number. In `answer-22` it is a hyphen.
    private static func isNegative(at start: Int, in characters: [Character]) -> Bool {
        guard start > 0, "-−".contains(characters[start - 1]) else { return false }
        return start == 1 || characters[start - 2].isWhitespace || "=(".contains(characters[start - 2])
    }
}

/// Numbers in the words of a language.
package struct NumberWords: Sendable {
    private let values: [String: Int]

    /// - Parameter language: a code such as `de`. Numbers of a language that is not known are not read in words.
    package init(language: String) { values = Self.known.value(for: language) }

    /// A number in words; nil if the language is not known.
    package static func spelled(_ number: Int, in language: String) -> String? {
        let formatter = NumberFormatter()
        formatter.locale = Locale(identifier: language)
        formatter.numberStyle = .spellOut
        let word = formatter.string(from: NSNumber(value: number))
        return word.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The numbers in successive words. The longest run of words that is a number is one.
    func numbers(in words: [String]) -> [Int] {
        var found: [Int] = [], index = 0
        while index < words.count {
            let run = (1...Self.longestRun).reversed().first { index + $0 <= words.count && values[words[index..<index + $0].joined(separator: " ")] != nil }
            if let run, let value = values[words[index..<index + run].joined(separator: " ")] {
                found.append(value)
                index += run
            } else {
                index += 1
            }
        }
        return found
    }

    /// The words that one number has at the most.
    private static let longestRun = 5
    private static let known = KnownNumberWords()

    fileprivate static func table(for language: String) -> [String: Int] {
        var table: [String: Int] = [:]
        for number in 0...NumberAnswer.largestInWords {
            guard let text = spelled(number, in: language) else { continue }
            let folded = text.precomposedStringWithCompatibilityMapping.lowercased()
            let words = AnswerText.visible(folded).split { !$0.isLetter }.joined(separator: " ")
            table[words] = number
            if language == "en", number > 100 { table[words.replacing("hundred ", with: "hundred and ")] = number }
        }
        return table
    }
}

/// The tables of languages, which are made when they are first used. There are as many as Unicode's data has languages.
private final class KnownNumberWords: Sendable {
    private let tables = Mutex<[String: [String: Int]]>([:])
    private static let limit = 32

    func value(for language: String) -> [String: Int] {
        tables.withLock { tables in
            if let table = tables[language] { return table }
            let table = NumberWords.table(for: language)
            if tables.count < Self.limit { tables[language] = table }
            return table
        }
    }
}
