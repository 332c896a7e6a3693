import Foundation

/// An open directory. Its files are opened relative to it, for reading.
///
/// All files therefore belong to one build, even if another directory takes its place in the meantime. Only
/// regular files are opened, so nothing waits for other kinds.
final class Folder {
    let path: String
    private let descriptor: Int32

    /// Opens the directory `path`.
    init(_ path: String) throws(BrrError) {
        self.path = path
        // C's strings end at the first NUL.
        descriptor = path.utf8.contains(0) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .bundle("\(path): not a bundle directory; make one with 'brr build'")
        }
    }

    deinit { close(descriptor) }

    /// Whether the path still leads to this directory.
    var isCurrent: Bool {
        var opened = stat()
        var there = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &there) == 0
            && opened.st_dev == there.st_dev && opened.st_ino == there.st_ino
    }

    /// Returns the name of a file in messages.
    func path(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// Returns the content of a file, or of a longer one the first `limit` + 1 bytes.
    func read(_ name: String, limit: Int) throws(BrrError) -> [UInt8] {
        let file = try opened(name)
        defer { close(file.descriptor) }
        var content = [UInt8](repeating: 0, count: min(file.size, limit + 1))
        var length = 0
        while length < content.count {
            let wanted = content.count - length
            let count = content.withUnsafeMutableBytes {
                Foundation.read(file.descriptor, $0.baseAddress! + length, wanted)
            }
            guard count > 0 else { throw unreadable(name, "cut short") }
            length += count
        }
        return content
    }

    /// Maps a nonempty file.
    func map(_ name: String) throws(BrrError) -> MappedBytes {
        let file = try opened(name)
        defer { close(file.descriptor) }
        guard let mapped = MappedFile(file.descriptor, size: file.size) else {
            throw unreadable(name, file.size == 0 ? "empty file" : "can't be mapped")
        }
        return MappedBytes(mapped)
    }

    private func opened(_ name: String) throws(BrrError) -> (descriptor: Int32, size: Int) {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let file = openat(descriptor, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw unreadable(name, String(cString: strerror(errno))) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw unreadable(name, "not a file")
        }
        return (file, Int(status.st_size))
    }

    private func unreadable(_ name: String, _ reason: String) -> BrrError {
        .bundle("\(path(name)): can't be read (\(reason)); rebuild the bundle")
    }
}
