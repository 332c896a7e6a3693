plugins {
    alias(libs.plugins.android.library)
    `maven-publish`
}

android {
    namespace = "org.brrkit.keyboard"
    compileSdk = libs.versions.compileSdk.get().toInt()
    resourcePrefix = "brr_"

    defaultConfig {
        minSdk = libs.versions.minSdk.get().toInt()
    }

    publishing {
        singleVariant("release") { withSourcesJar() }
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
}

kotlin {
    explicitApi()
}

dependencies {
    api(project(":brr"))
    // UploadWorker is for apps that bring WorkManager themselves.
    compileOnly(libs.work.runtime)
}

publishing {
    publications {
        register<MavenPublication>("release") {
            artifactId = "brr-keyboard"
            afterEvaluate { from(components["release"]) }
        }
    }
}
