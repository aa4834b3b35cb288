/// The place of what a router keeps.
package enum RouterStorage: Sendable, Hashable {
    /// Certificates, journal and other files are in this folder, which is created if necessary. Only the owner can read keys and data.
    case folder(String)
    /// Nothing outlives the process.
    case memory
}
