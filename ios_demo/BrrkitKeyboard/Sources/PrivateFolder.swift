import Foundation

/// Returns the folder of the keyboard's files, which backups leave out: in the container of
/// the app or of the extension, each in its own.
public func privateFolder() -> URL {
    let parent = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    var folder = parent.appendingPathComponent("brrkit", isDirectory: true)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    try? folder.setResourceValues(values)
    return folder
}
