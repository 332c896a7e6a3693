// swift-tools-version: 6.0
import PackageDescription

// The package stands in the repository's root because SwiftPM looks for it only there; its sources
// are in ios_demo.
// What Apple's systems have, and the library uses: elsewhere it is checked against declarations of that.
#if canImport(Darwin)
let declarations: [Target] = []
let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
let elsewhere: [String] = []
#else
let declarations: [Target] = [
    .target(name: "Security", path: "ios_demo/BrrkitKeyboard/SecurityDeclarations"),
    .target(
        name: "CryptoKitDeclarations", path: "ios_demo/BrrkitKeyboard/CryptoKitDeclarations"),
]
let privacyManifest: [Resource] = []
let elsewhere = ["PrivacyInfo.xcprivacy"]
#endif

// What is tested is optimized, as in an app. For the tests that takes longer than it saves, and only
// they see this: it isn't for a package that others depend on.
let asWritten: [SwiftSetting] =
    Context.environment["BRR_WORK"] == nil ? [] : [.unsafeFlags(["-Onone"])]

let package = Package(
    name: "brrkit",
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [
        .library(name: "Brrkit", targets: ["Brrkit"]),
        .library(name: "BrrkitKeyboard", targets: ["BrrkitKeyboard"]),
    ],
    targets: [
        .target(name: "BrrkitC", path: "ios_demo/Brrkit/C"),
        .target(
            name: "Brrkit",
            dependencies: ["BrrkitC"],
            path: "ios_demo/Brrkit/Sources",
            exclude: elsewhere,
            resources: privacyManifest
        ),
        .target(
            name: "BrrkitKeyboard",
            dependencies: ["Brrkit"] + declarations.map { .target(name: $0.name) },
            path: "ios_demo/BrrkitKeyboard/Sources",
            exclude: elsewhere,
            resources: privacyManifest
        ),
        .executableTarget(
            name: "speed",
            dependencies: ["Brrkit"],
            path: "ios_demo/Brrkit/Speed"
        ),
        .testTarget(
            name: "BrrkitTests",
            dependencies: ["Brrkit", "BrrkitC", "spend"],
            path: "ios_demo/Brrkit/Tests",
            swiftSettings: asWritten
        ),
        .executableTarget(
            name: "spend",
            dependencies: ["Brrkit"],
            path: "ios_demo/Brrkit/Spend"
        ),
    ] + declarations,
    swiftLanguageModes: [.v6]
)

#if os(Linux)
// The demo keyboard is Xcode's to build. Here its logic is tested, and its use of UIKit is checked against
// declarations of what it uses.
package.targets += [
    .target(name: "UIKit", path: "ios_demo/Keyboard/UIKitDeclarations"),
    .target(
        name: "DemoKeyboard",
        dependencies: ["Brrkit", "BrrkitKeyboard", "UIKit"],
        path: "ios_demo/Keyboard",
        exclude: [
            "App/Assets.xcassets", "App/Info.plist", "App/PrivacyInfo.xcprivacy", "App/main.swift",
            "BrrKeyboard.xcodeproj", "Extension/Info.plist", "Extension/PrivacyInfo.xcprivacy",
            "Resources", "Tests", "UIKitDeclarations", "bundle.sh",
        ],
        sources: ["Logic", "Views", "Extension", "App"]
    ),
    .testTarget(
        name: "BrrkitKeyboardTests",  // they look at what stands for the Keychain
        dependencies: ["Brrkit", "BrrkitKeyboard", "CryptoKitDeclarations", "Security"],
        path: "ios_demo/BrrkitKeyboard/Tests",
        swiftSettings: asWritten
    ),
    .testTarget(
        name: "DemoKeyboardTests",
        dependencies: ["Brrkit", "BrrkitKeyboard", "DemoKeyboard", "Security", "UIKit"],
        path: "ios_demo/Keyboard/Tests",
        swiftSettings: asWritten
    ),
]
#endif
