internal import GRDBSQLite

/// SQLite's table of functions for files that have layers.
enum FileMethods {
    /// The table of version 2: with shared memory for the write-ahead log, without memory-mapped pages, which would bypass the layers.
    nonisolated(unsafe) static let table: UnsafePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        methods.iVersion = 2
        methods.xClose = { file in
            guard let file else { return SQLITE_OK }
            let handle = UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee.handle
            file.pointee.pMethods = nil
            // The memory of the system's file is freed with its owner, after this.
            return withExtendedLifetime(handle.takeRetainedValue()) { $0.top.close() }
        }
        methods.xRead = { file, buffer, count, offset in
            layers(of: file).top.read(UnsafeMutableRawBufferPointer(start: buffer, count: Int(count)), at: offset)
        }
        methods.xWrite = { file, bytes, count, offset in
            layers(of: file).top.write(UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: offset)
        }
        methods.xTruncate = { file, size in layers(of: file).top.truncate(to: size) }
        methods.xSync = { file, flags in layers(of: file).top.sync(flags) }
        methods.xFileSize = { file, size in
            var value: Int64 = 0
            let code = layers(of: file).top.size(&value)
            size?.pointee = value
            return code
        }
        // Locks contain no stored data, and are left to the system's VFS.
        methods.xLock = { file, level in system(of: file) { $1.xLock($0, level) } }
        methods.xUnlock = { file, level in system(of: file) { $1.xUnlock($0, level) } }
        methods.xCheckReservedLock = { file, result in system(of: file) { $1.xCheckReservedLock($0, result) } }
        methods.xFileControl = { file, operation, argument in
            // Memory-mapped pages and atomic writes are refused: both bypass the layers.
            switch operation {
            case SQLITE_FCNTL_MMAP_SIZE, SQLITE_FCNTL_BEGIN_ATOMIC_WRITE, SQLITE_FCNTL_COMMIT_ATOMIC_WRITE, SQLITE_FCNTL_ROLLBACK_ATOMIC_WRITE:
                return SQLITE_NOTFOUND
            default: return system(of: file) { $1.xFileControl($0, operation, argument) }
            }
        }
        methods.xSectorSize = { file in system(of: file) { $1.xSectorSize($0) } }
        methods.xDeviceCharacteristics = { file in
            layers(of: file).top.characteristics(system(of: file) { $1.xDeviceCharacteristics($0) })
        }
        // The index of an encrypted database's log stays in memory.
        methods.xShmMap = { file, region, size, extends, address in
            if let index = layers(of: file).index { return index.map(region, size, extends, address) }
            return system(of: file) { $1.xShmMap($0, region, size, extends, address) }
        }
        methods.xShmLock = { file, offset, count, flags in
            if let index = layers(of: file).index { return index.lock(offset, count, flags) }
            return system(of: file) { $1.xShmLock($0, offset, count, flags) }
        }
        methods.xShmBarrier = { file in
            if let index = layers(of: file).index { return index.barrier() }
            system(of: file) { $1.xShmBarrier($0) }
        }
        methods.xShmUnmap = { file, deletes in
            if let index = layers(of: file).index { return index.unmap(deletes: deletes != 0) }
            return system(of: file) { $1.xShmUnmap($0, deletes) }
        }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: methods)
        return UnsafePointer(table)
    }()
}

extension ParleyVFS {
    /// Returns the stored bytes of a file that SQLite has opened.
    static func stored(_ file: UnsafeMutablePointer<sqlite3_file>) -> any FileLayer {
        // A file without layers is one of the operating system's VFS.
        file.pointee.pMethods == FileMethods.table ? layers(of: file).stored : SystemFile(file)
    }
}

/// Returns the layers of a file, which exist from its opening to its closing.
private func layers(of file: UnsafeMutablePointer<sqlite3_file>?) -> LayeredFile {
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: OpenFile.self).pointee.handle.takeUnretainedValue()
}

private func system<Result>(
    of file: UnsafeMutablePointer<sqlite3_file>?, _ body: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Result
) -> Result {
    let file = layers(of: file).system.file
    return body(file, file.pointee.pMethods.pointee)
}
