/// Finds the word that a person probably meant.
package enum Spelling {
    /// The candidate nearest to the word, if it is near enough to be a slip of the keyboard.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        // Of a short word, half would be another word.
        let limit = max(1, (word.count + 1) / 3)
        return
            candidates
            .map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
            .filter { $0.distance <= limit }
            .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?.word
    }

    /// Candidates that a sentence names at the most.
    private static let longestList = 100

    /// A sentence that names the nearest candidate, or all of them.
    static func hint(for word: String, among candidates: [String]) -> String {
        if let nearest = nearest(to: word, among: candidates) { return "did you mean \"\(nearest.cut)\"?" }
        return "expected one of: " + candidates.prefix(longestList).map(\.cut).joined(separator: ", ") + (candidates.count > longestList ? ", …" : "")
    }

    /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left.prefix(64)), right = Array(right.prefix(64))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var best = min(last[column + 1] + 1, current[column] + 1, last[column] + (character == other ? 0 : 1))
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == other {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
