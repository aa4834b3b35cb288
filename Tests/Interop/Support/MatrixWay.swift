import Testing

/// Two parties and the router between them, each of one of the three makes. Those without Parley are left out.
struct MatrixWay: Sendable, CustomTestStringConvertible {
    let first, second, router: Make

    static let allCases: [MatrixWay] = {
        var ways: [MatrixWay] = []
        for first in Make.allCases {
            for second in Make.allCases {
                for router in Make.allCases where [first, second, router].contains(.parley) {
                    ways.append(MatrixWay(first: first, second: second, router: router))
                }
            }
        }
        return ways
    }()

    var testDescription: String { "\(first), \(second), router \(router)" }
}
