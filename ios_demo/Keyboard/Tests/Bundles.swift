import Brrkit
import BrrkitKeyboard
import Foundation

/// What `tests/ios.sh` prepares.
enum Bundles {
    static let work = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["BRR_WORK"]!)

    /// Calibrated just now, as the README says.
    static let calibrated = try! WordBundle(contentsOf: work.appendingPathComponent("calibrated"))

    /// The same, recommending what was measured with the attacker of the strengths in the bundle.
    static let isolated = try! recommending([
        "mechanism": "exponential", "epsilon": 0.9,
        "parameters": ["radius": 15, "base": "unigram", "cap": 17],
        "measured": [
            "attacker": "isolated", "over": "all", "text": NSNull(),
            "unchanged": ["value": 0.15, "low": 0.14, "high": 0.16],
            "attack_success": ["value": 0.2, "low": 0.2, "high": 0.2],
            "worst": ["value": 0.34, "low": 0.34, "high": 0.34],
        ],
    ])

    /// The same without a recommendation.
    static let plain = try! WordBundle(contentsOf: work.appendingPathComponent("bundles/64"))

    static func newFolder() throws -> URL {
        let folder = work.appendingPathComponent("temporary/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// A copy of the calibrated bundle with other fields in what it recommends.
    static func recommending(_ fields: [String: Any]) throws -> WordBundle {
        try changedFields { manifest in
            let recommended = manifest["recommended"] as! [String: Any]
            manifest["recommended"] = recommended.merging(fields) { _, other in other }
        }
    }

    /// A copy of the calibrated bundle with a policy.
    static func with(policy: [String: Any]) throws -> WordBundle {
        try changedFields { $0["policy"] = policy }
    }

    /// A copy of the calibrated bundle with another text in its manifest.
    static func changed(_ text: String, to other: String) throws -> WordBundle {
        try changed { manifest in
            precondition(manifest.contains(text))
            return manifest.replacingOccurrences(of: text, with: other)
        }
    }

    private static func changedFields(_ change: (inout [String: Any]) -> Void) throws -> WordBundle
    {
        try changed { text in
            let read = try JSONSerialization.jsonObject(with: Data(text.utf8))
            var manifest = read as! [String: Any]
            change(&manifest)
            let changed = try JSONSerialization.data(withJSONObject: manifest)
            return String(decoding: changed, as: UTF8.self)
        }
    }

    private static func changed(_ change: (String) throws -> String) throws -> WordBundle {
        let folder = try newFolder()
        for name in ["manifest.json", "index.safetensors", "randomizer.tflite"] {
            let file = work.appendingPathComponent("calibrated/\(name)")
            try Data(contentsOf: file).write(to: folder.appendingPathComponent(name))
        }
        let file = folder.appendingPathComponent("manifest.json")
        let manifest = try String(contentsOf: file, encoding: .utf8)
        try Data(change(manifest).utf8).write(to: file)
        return try WordBundle(contentsOf: folder, verifyHashes: false)
    }
}
