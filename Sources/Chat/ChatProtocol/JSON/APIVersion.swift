/// A version of the command and JSON API of the official core: the commands that programs send, and the JSON that they get.
///
/// Each text for a program is written for one version. Where versions differ, the property of the type says so: `@JSONSince` on a member that came later, or
/// `@JSONFlattened` on a value that has another form in each version. Nothing else asks for the version. Reading takes the members of all versions.
public enum APIVersion: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// The API of simplex-chat 6.5.
    case v65
    /// The API of the pre-release 7.0.0.6, with which conversations of 7.0 were recorded. It has no `msgVerified` and no `signMessages`.
    case v70Beta
    /// The API of simplex-chat 7.0, as the types of its release 7.0.2 give it.
    case v70

    /// The newest version: that of texts that are written for no program in particular.
    public static let newest = APIVersion.v70

    /// The oldest and the newest version, as `6.5-7.0`.
    public static let range = "\(v65.name)-\(newest.name)"

    /// The name on command lines: `6.5`, `7.0-beta` or `7.0`.
    public var name: String {
        switch self {
        case .v65: "6.5"
        case .v70Beta: "7.0-beta"
        case .v70: "7.0"
        }
    }

    /// The version with that name; nil if there is none.
    public init?(name: String) {
        guard let version = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = version
    }

    /// Older versions come before newer ones.
    public static func < (left: APIVersion, right: APIVersion) -> Bool { left.rawValue < right.rawValue }
}
