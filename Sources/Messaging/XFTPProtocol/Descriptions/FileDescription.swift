package import SMPCrypto
package import SMPProtocol
package import SMPWire

/// All that is needed to download a file, or to delete it: where its chunks are, their keys, and the key of the file (xftp.md, "File
/// description").
package struct FileDescription: Hashable, Sendable {
    /// The holder of a description.
    package enum Party: String, Hashable, Sendable {
        /// Its keys download chunks.
        case recipient
        /// Its keys delete chunks.
        case sender
    }

    /// Another file to be downloaded in place of this one, which is the description of that file.
    package struct Redirect: Hashable, Sendable {
        /// Bytes of the encrypted file.
        package var size: Int64
        /// SHA-512 of the encrypted file.
        package var digest: Bytes

        package init(size: Int64, digest: Bytes) {
            self.size = size
            self.digest = digest
        }
    }

    /// A piece of the encrypted file on one or more routers.
    package struct Chunk: Hashable, Sendable {
        /// From 1 on.
        package var number: Int
        /// Bytes.
        package var size: UInt32
        /// SHA-256.
        package var digest: Bytes
        /// At least one, the first being preferred.
        package var replicas: [Replica]

        package init(number: Int, size: UInt32, digest: Bytes, replicas: [Replica]) {
            self.number = number
            self.size = size
            self.digest = digest
            self.replicas = replicas
        }
    }

    /// A chunk on a router.
    package struct Replica: Hashable, Sendable {
        package var server: XFTPServerAddress
        package var id: EntityID
        package var key: PrivateAuthKey

        package init(server: XFTPServerAddress, id: EntityID, key: PrivateAuthKey) {
            self.server = server
            self.id = id
            self.key = key
        }

        package static func == (left: Self, right: Self) -> Bool {
            left.server == right.server && left.id == right.id && left.key == right.key
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(server)
            hasher.combine(id)
        }
    }

    package var party: Party
    /// Bytes of the encrypted file: the sum of the sizes of all chunks.
    package var size: Int64
    /// SHA-512 of the encrypted file.
    package var digest: Bytes
    /// The key of the file.
    package var key: BoxSecret
    package var nonce: BoxNonce
    /// The size of most chunks, which they do not repeat.
    package var chunkSize: UInt32
    /// In the order of their numbers, which begin with 1 and leave none out.
    package var chunks: [Chunk]
    package var redirect: Redirect?

    package init(
        party: Party, size: Int64, digest: Bytes, key: BoxSecret, nonce: BoxNonce, chunkSize: UInt32, chunks: [Chunk], redirect: Redirect? = nil
    ) {
        self.party = party
        self.size = size
        self.digest = digest
        self.key = key
        self.nonce = nonce
        self.chunkSize = chunkSize
        self.chunks = chunks
        self.redirect = redirect
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.party == right.party && left.size == right.size && left.digest == right.digest && left.key == right.key && left.nonce == right.nonce
            && left.chunkSize == right.chunkSize && left.chunks == right.chunks && left.redirect == right.redirect
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
        hasher.combine(chunks)
    }

    /// Checks that there are chunks, that they are numbered from 1 on without gaps and that their sizes add up.
    ///
    /// - Throws: ``WireError`` `invalidValue`.
    package func validate() throws(WireError) {
        guard !chunks.isEmpty, chunks.enumerated().allSatisfy({ $0.element.number == $0.offset + 1 }) else {
            throw WireError(.invalidValue, "chunk numbers that are sequential")
        }
        // 2^32 chunks of 2^32 bytes would be needed for an overflow.
        guard chunks.reduce(0, { $0 + Int64($1.size) }) == size else {
            throw WireError(.invalidValue, "chunks that have the size of the file together")
        }
    }
}
