/// The place of a router's data.
package enum RouterStorage: Sendable, Hashable {
    /// Certificates, journal and other files are in this folder, which is created if necessary. Only the owner can read keys and data.
    case folder(String)
    /// The data is in memory, and does not outlive the process.
    case memory
}
