import Brrkit
import Foundation

/// A file of the keyboard can't be read or written. The message contains no typed text.
public struct FileError: Error, Hashable, CustomStringConvertible, LocalizedError {
    /// The error and its remedy.
    public let description: String
    /// The error and its remedy.
    public var errorDescription: String? { description }

    init(_ path: String, _ what: String) {
        let why = String(cString: strerror(errno))
        description = "\(path): can't be \(what) (\(why)); nothing is kept or sent until it can"
    }
}

/// Replaces a file's content. A kill or a power cut leaves the old content or the new.
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

/// Deletes a file or a folder, if it exists. A power cut doesn't restore it.
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

/// Makes the names in a folder survive a power cut.
func syncNames(_ folder: URL) throws(FileError) {
    let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(folder.path, "opened") }
    defer { close(descriptor) }
    guard isOnDisk(descriptor) else { throw FileError(folder.path, "written") }
}

/// Returns the first `limit` bytes of a file; nil if there is no file.
func contents(_ file: URL, limit: Int = 1 << 21) throws(FileError) -> [UInt8]? {
    let descriptor = open(file.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
        if errno == ENOENT { return nil }
        throw FileError(file.path, "read")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        throw FileError(file.path, "read")
    }
    var content = [UInt8](repeating: 0, count: min(limit, Int(status.st_size)))
    var length = 0
    while length < content.count {
        let wanted = content.count - length
        let count = content.withUnsafeMutableBytes {
            read(descriptor, $0.baseAddress! + length, wanted)
        }
        guard count >= 0 else { throw FileError(file.path, "read") }
        if count == 0 { break }
        length += count
    }
    return Array(content[..<length])
}

/// Holds a file's lock during its lifetime. The lock excludes other threads and processes.
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

/// The ending of the name of a file that is being written.
let unfinished = ".new"
