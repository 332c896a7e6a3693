import Brrkit
import Foundation

/// A file of the keyboard can't be read or written. Nothing typed is in its message.
public struct FileError: Error, Hashable, CustomStringConvertible, LocalizedError {
    /// What is wrong, and what to do about it.
    public let description: String
    /// What is wrong, and what to do about it.
    public var errorDescription: String? { description }

    init(_ path: String, _ what: String) {
        let why = String(cString: strerror(errno))
        description = "\(path): can't be \(what) (\(why)); nothing is kept or sent until it can"
    }
}

/// Puts `content` in a file's place. A kill or a power cut leaves the old content or the new.
func replaceDurably(_ file: URL, _ content: [UInt8]) throws(FileError) {
    let (path, new) = (file.path, file.path + unfinished)
    unlink(new)  // left over: its writer was killed
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileError(path, "written") }
    var written = 0
    while written < content.count {
        let rest = content[written...]
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress!, $0.count) }
        if count <= 0 { break }
        written += count
    }
    let isWritten = written == content.count && isOnDisk(descriptor)
    close(descriptor)
    guard isWritten, rename(new, path) == 0 else {
        let error = FileError(path, "written")
        unlink(new)
        throw error
    }
    try syncNames(file.deletingLastPathComponent())
}

/// Deletes a file or a folder, if there is one: it doesn't come back after a power cut.
func deleteDurably(_ file: URL) throws(FileError) {
    do {
        try FileManager.default.removeItem(at: file)
    } catch {
        guard !FileManager.default.fileExists(atPath: file.path) else {
            throw FileError(file.path, "deleted")
        }
        return
    }
    try syncNames(file.deletingLastPathComponent())
}

/// Lets the names in a folder outlive a power cut.
func syncNames(_ folder: URL) throws(FileError) {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(folder.path, "opened") }
    defer { close(descriptor) }
    guard isOnDisk(descriptor) else { throw FileError(folder.path, "written") }
}

/// Returns a file's content, at most `limit` bytes of it; nil if there is no such file.
func contents(_ file: URL, limit: Int = 1 << 21) throws(FileError) -> [UInt8]? {
    let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
        if errno == ENOENT { return nil }
        throw FileError(file.path, "read")
    }
    defer { close(descriptor) }
    var content = [UInt8](repeating: 0, count: limit)
    var length = 0
    while length < limit {
        let count = content.withUnsafeMutableBytes {
            read(descriptor, $0.baseAddress! + length, limit - length)
        }
        guard count >= 0 else { throw FileError(file.path, "read") }
        if count == 0 { break }
        length += count
    }
    return Array(content[..<length])
}

/// Holds a file's lock, which excludes other threads and processes, as long as this lives.
final class FileLock {
    private let descriptor: Int32

    init(_ file: URL) throws(FileError) {
        descriptor = open(file.path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileError(file.path, "locked") }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw FileError(file.path, "locked") }
        }
    }

    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

/// Ends the name of a file that is being written.
let unfinished = ".new"
