import Foundation

/// A small file that processes share, while this thread, and no other thread or process, holds its lock. It
/// is read and replaced as a whole.
///
/// The lock is the file with the additional ending `.lock`, next to it. Both are found through the opened
/// directory, so every path to that directory leads to the same lock, and a name stands for the same file
/// from the lock to its release.
final class StateFile {
    private let path: String
    private let kind: BrrError.Kind
    private let folder: Int32
    private let lock: Int32
    private let flush: (Int32) -> Bool

    private var name: String { String(path[path.lastIndex(of: "/")!...].dropFirst()) }

    /// Waits for the lock of the file with an absolute path, and holds it during this object's lifetime.
    ///
    /// - Parameters:
    ///   - path: path of the file.
    ///   - kind: kind of all errors of this file.
    ///   - flush: waits until written content survives a power cut; for tests.
    init(
        _ path: String, _ kind: BrrError.Kind, flush: @escaping (Int32) -> Bool = isOnDisk
    ) throws(BrrError) {
        self.path = path
        self.kind = kind
        self.flush = flush
        let slash = path.lastIndex(of: "/")!
        let folder = open(String(path[...slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(kind, path, "opened in its directory") }
        let lockPath = path + ".lock"
        let lock = StateFile.opened(lockPath, O_RDWR | O_CREAT, in: folder)
        guard lock >= 0 else {
            let error = failure(kind, lockPath, "locked")
            close(folder)
            throw error
        }
        (self.folder, self.lock) = (folder, lock)
        // Each opening has its own lock, so this excludes threads, too.
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw failure(kind, lockPath, "locked") }
        }
        // Checked after the wait, in which the file may have been removed.
        try StateFile.check(kind, lockPath, lock)
    }

    deinit {
        // Closing isn't enough, because a process forked in the meantime also has the file open.
        flock(lock, LOCK_UN)
        close(lock)
        close(folder)
    }

    /// Returns the first `limit` bytes, or nil if there is no file.
    func read(limit: Int) throws(BrrError) -> [UInt8]? {
        let file = StateFile.opened(path, O_RDONLY, in: folder)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure(kind, path, "read")
        }
        defer { close(file) }
        try StateFile.check(kind, path, file)
        var content = [UInt8](repeating: 0, count: limit)
        let count = Foundation.read(file, &content, limit)
        guard count >= 0 else { throw failure(kind, path, "read") }
        return Array(content[..<count])
    }

    /// Replaces the file's content. A power cut leaves the old content or the new.
    func replace(_ content: [UInt8]) throws(BrrError) {
        let new = name + ".new"
        unlinkat(folder, new, 0)  // of a killed writer
        let file = StateFile.opened(path + ".new", O_WRONLY | O_CREAT | O_EXCL, in: folder)
        guard file >= 0 else { throw failure(kind, path, "written") }
        let isWritten = write(file, content, content.count) == content.count && flush(file)
        close(file)
        guard isWritten, renameat(folder, new, folder, name) == 0, flush(folder) else {
            let error = failure(kind, path, "written")
            unlinkat(folder, new, 0)
            throw error
        }
    }

    /// Opens the file by the name at the end of a path. It doesn't follow links, because two names of a file
    /// would have two locks. Doesn't wait: a pipe without a writer would block forever.
    private static func opened(_ path: String, _ flags: Int32, in folder: Int32) -> Int32 {
        let name = String(path[path.lastIndex(of: "/")!...].dropFirst())
        return openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    }

    private static func check(
        _ kind: BrrError.Kind, _ path: String, _ file: Int32
    ) throws(BrrError) {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw BrrError(
                kind,
                "\(path): not a regular file; nothing is released until it is removed, or another "
                    + "path is given")
        }
        guard status.st_nlink == 1 else {
            throw BrrError(
                kind,
                "\(path): has \(status.st_nlink) hard links; nothing is released until it has one: "
                    + "remove the others")
        }
    }
}

/// Waits until written content survives a power cut.
package func isOnDisk(_ file: Int32) -> Bool {
    #if canImport(Darwin)
    if fcntl(file, F_FULLFSYNC) == 0 { return true }  // fsync leaves it in the drive's memory
    #endif
    return fsync(file) == 0
}

private func failure(_ kind: BrrError.Kind, _ path: String, _ what: String) -> BrrError {
    if errno == ELOOP {
        return BrrError(
            kind,
            "\(path): a symbolic link; nothing is released through one: give the path of the file "
                + "itself")
    }
    return BrrError(
        kind,
        "\(path): can't be \(what) (\(String(cString: strerror(errno)))); nothing is released until "
            + "it can")
}
