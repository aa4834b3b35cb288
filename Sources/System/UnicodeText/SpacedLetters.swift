/// Words whose letters people put apart so that a list does not find them: `c a s i n o`, `c_a_s_i_n_o`, `赌 博`.
enum SpacedLetters {
    /// Letters and signs between two pieces of a word at the most.
    private static let longestGap = 3
    /// Letters of a piece in scripts without spaces, whose syllables have several.
    private static let longestSyllable = 3

    /// Pieces of words are taken together if enough of them follow each other: fewer are words such as `a`.
    static func joined(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(scalars.count)
        var index = 0
        while index < scalars.count {
            if isFormatSign(scalars[index]), index > 0, index + 1 < scalars.count, isLetter(scalars[index - 1]), isLetter(scalars[index + 1]) {
                index += 1
                continue
            }
            let run = run(scalars, from: index)
            if run.pieces >= run.minimum {
                result += run.letters
                index = run.end
            } else {
                // The whole word, so that its last letter does not count as a word.
                repeat {
                    result.append(scalars[index])
                    index += 1
                } while index < scalars.count && isLetter(scalars[index - 1]) && isLetter(scalars[index])
            }
        }
        return result
    }

    /// Signs of formats that are shown as they are in a word, and are no part of any: `cas*ino`.
    private static func isFormatSign(_ scalar: Unicode.Scalar) -> Bool { scalar == "*" || scalar == "~" || scalar == "^" }

    private struct Run {
        var letters: [Unicode.Scalar] = []
        var pieces = 0
        /// The pieces that make a word.
        var minimum = 3
        /// The index behind the last piece.
        var end: Int
    }

    /// The scripts whose pieces are cut alike.
    private enum Script {
        case spaced, ideographs, syllables

        init(_ scalar: Unicode.Scalar) { self = scalar.isIdeographOrKana ? .ideographs : scalar.isOfScriptWithoutSpaces ? .syllables : .spaced }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.isPartOfWord || scalar.isOfScriptWithoutSpaces && !isSign(scalar) }

    /// True for punctuation of Chinese and Japanese.
    private static func isSign(_ scalar: Unicode.Scalar) -> Bool { !scalar.isLetterOrNumber && !scalar.isMark }

    /// The pieces from an index on, and the index behind the last of them.
    private static func run(_ scalars: [Unicode.Scalar], from start: Int) -> Run {
        var run = Run(end: start)
        guard start < scalars.count, isLetter(scalars[start]) else { return run }
        let script = Script(scalars[start])
        run.minimum = script == .ideographs ? 2 : 3
        var index = start
        while let end = piece(scalars, from: index, script) {
            run.letters += scalars[index..<end]
            run.pieces += 1
            run.end = end
            index = end
            while index < scalars.count, index - end < longestGap, !isLetter(scalars[index]), scalars[index] != "\n" { index += 1 }
            if index == end { break }
        }
        return run
    }

    /// The index behind the piece at an index: a letter with its marks, or a syllable; nil if more letters follow, or none is there.
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
