import Foundation

/// Returns the folder of the keyboard's files, excluded from backups. The app and the extension have separate
/// folders, in their own containers.
public func privateFolder() -> URL {
    let parent = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    var folder = parent.appendingPathComponent("brrkit", isDirectory: true)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var values = URLResourceValues()
    values.isExcludedFromBackup = true
    try? folder.setResourceValues(values)
    return folder
}
