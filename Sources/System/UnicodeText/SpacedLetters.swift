/// The classification of a letter of a word whose letters were written apart.
package struct SpreadLetter: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The letter was written apart from its neighbours.
    package static let apart = SpreadLetter(rawValue: 1)
    /// The gap before the letter is wider than other gaps of the word, so that another word may begin there.
    package static let afterWideGap = SpreadLetter(rawValue: 2)
}

/// Words whose letters people write apart to evade a list of words: `c a s i n o`, `c_a_s_i_n_o`, `赌 博`.
enum SpacedLetters {
    /// The maximum number of spaces and signs between two pieces of a word.
    private static let longestGap = 3
    /// The maximum number of letters of a piece in scripts without spaces, whose syllables have several letters.
    private static let longestSyllable = 3

    /// A text whose spread words are joined.
    struct Joined {
        var scalars: [Unicode.Scalar] = []
        /// The classification of each scalar; empty if no word was spread.
        var letters: [SpreadLetter] = []
    }

    /// Joins pieces of words if enough of them follow each other: fewer pieces are words such as `a`.
    static func joined(_ scalars: [Unicode.Scalar]) -> Joined {
        var result = Joined()
        result.scalars.reserveCapacity(scalars.count)
        var index = 0
        while index < scalars.count {
            if isFormatSign(scalars[index]), index > 0, index + 1 < scalars.count, isLetter(scalars[index - 1]), isLetter(scalars[index + 1]) {
                index += 1
                continue
            }
            let run = run(scalars, from: index)
            if run.starts.count >= run.minimum {
                if result.letters.isEmpty { result.letters = Array(repeating: [], count: result.scalars.count) }
                result.scalars += run.letters
                result.letters += run.marks
                index = run.end
            } else {
                // Appends the whole word, so that its last letter does not count as a word.
                let start = index
                repeat {
                    result.scalars.append(scalars[index])
                    index += 1
                } while index < scalars.count && isLetter(scalars[index - 1]) && isLetter(scalars[index])
                if !result.letters.isEmpty { result.letters += repeatElement([], count: index - start) }
            }
        }
        return result
    }

    /// Checks for signs of formats that are shown unchanged inside a word, and belong to no word: `cas*ino`.
    private static func isFormatSign(_ scalar: Unicode.Scalar) -> Bool { scalar == "*" || scalar == "~" || scalar == "^" }

    private struct Run {
        var letters: [Unicode.Scalar] = []
        /// The indexes in the letters at which pieces begin.
        var starts: [Int] = []
        /// The gaps before the pieces.
        var gaps: [Gap] = []
        /// The minimum number of pieces of a word.
        var minimum = 3
        /// The index after the last piece.
        var end: Int

        /// The classification of the letters.
        var marks: [SpreadLetter] {
            var marks = [SpreadLetter](repeating: .apart, count: letters.count)
            guard let narrow = gaps.dropFirst().min() else { return marks }
            for (start, gap) in zip(starts, gaps).dropFirst() where gap > narrow { marks[start].insert(.afterWideGap) }
            return marks
        }
    }

    /// The width of a gap between two pieces. A space is wider than another sign.
    private struct Gap: Comparable {
        var count = 0
        var hasSpace = false

        static func < (one: Gap, other: Gap) -> Bool { (one.count, one.hasSpace ? 1 : 0) < (other.count, other.hasSpace ? 1 : 0) }
    }

    /// The groups of scripts by the form of their pieces.
    private enum Script {
        case spaced, ideographs, syllables

        init(_ scalar: Unicode.Scalar) { self = scalar.isIdeographOrKana ? .ideographs : scalar.isOfScriptWithoutSpaces ? .syllables : .spaced }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.isPartOfWord || scalar.isOfScriptWithoutSpaces && !isSign(scalar) }

    /// Checks for scalars that are neither letters, numbers nor marks, such as punctuation of Chinese and Japanese.
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool { !scalar.isLetterOrNumber && !scalar.isMark }

    /// Finds the pieces from an index on, and the index after the last one.
    private static func run(_ scalars: [Unicode.Scalar], from start: Int) -> Run {
        var run = Run(end: start)
        guard start < scalars.count, isLetter(scalars[start]) else { return run }
        let script = Script(scalars[start])
        run.minimum = script == .ideographs ? 2 : 3
        var index = start, gap = Gap()
        while let end = piece(scalars, from: index, script) {
            run.starts.append(run.letters.count)
            run.gaps.append(gap)
            run.letters += scalars[index..<end]
            run.end = end
            (index, gap) = (end, Gap())
            while index < scalars.count, index - end < longestGap, !isLetter(scalars[index]), scalars[index] != "\n" {
                gap.hasSpace = gap.hasSpace || scalars[index] == " "
                index += 1
            }
            gap.count = index - end
            if index == end { break }
        }
        return run
    }

    /// Returns the index after the piece at an index: a letter with its marks, or a syllable; nil if more letters follow, or there is no piece.
    private static func piece(_ scalars: [Unicode.Scalar], from start: Int, _ script: Script) -> Int? {
        let limit = script == .syllables ? longestSyllable : 1
        var letters = 0, index = start
        while index < scalars.count, isLetter(scalars[index]) {
            guard Script(scalars[index]) == script || scalars[index].isMark else { return nil }
            if !scalars[index].isMark { letters += 1 }
            guard letters <= limit else { return nil }
            index += 1
        }
        return letters > 0 ? index : nil
    }
}
