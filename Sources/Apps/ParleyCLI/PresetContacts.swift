internal import ArgumentParser
internal import ChatProtocol
internal import Foundation

/// Contacts that each new profile begins with, as official clients put a card of their team and one of their status bot into theirs.
struct PresetContacts {
    /// The largest file that is read, in bytes.
    private static let largestFile = 1 << 20

    let profiles: [Profile]

    /// Reads a JSON array of profiles. Each has the address of the contact as `contactLink`, and connects when it is first opened.
    ///
    /// - Throws: `ValidationError` with the path, and with the place of what is wrong in it.
    init(path: String) throws {
        func error(_ problem: String) -> ValidationError { ValidationError("--preset-contacts \(path): \(problem)") }
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch let failure {
            throw error("cannot read it: \(failure.localizedDescription)")
        }
        guard bytes.count <= Self.largestFile else { throw error("it has more than \(Self.largestFile >> 20) MiB: leave out pictures, or make them smaller") }
        do {
            profiles = try [Profile](parsing: Array(bytes))
        } catch let failure {
            throw error("it is not a list such as [{\"displayName\":\"Ann\",\"fullName\":\"\",\"contactLink\":\"https://…\"}]: \(failure)")
        }
        for (index, profile) in profiles.enumerated() {
            guard DisplayName.isValid(profile.displayName) else {
                throw error("contact \(index + 1): \"\(profile.displayName)\" is not a valid displayName: \(Self.advice(on: profile.displayName))")
            }
            guard profile.contactLink?.isEmpty == false else {
                throw error("contact \(index + 1), \"\(profile.displayName)\", has no contactLink: give its address")
            }
        }
    }

    private static func advice(on name: String) -> String {
        let valid = DisplayName.valid(name)
        return valid.isEmpty ? "begin it with a letter or a number" : "use a name such as \(valid)"
    }
}
