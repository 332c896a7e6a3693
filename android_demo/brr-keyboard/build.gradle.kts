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
        consumerProguardFiles("src/main/resources/META-INF/proguard/brr-keyboard.pro")
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
    compileOnly(libs.androidx.annotation)
    // UploadWorker is for apps that include WorkManager themselves.
    compileOnly(libs.work.runtime)
}

// For apps that build the library themselves (publishToMavenLocal). Releases are built by Maven.
publishing {
    publications {
        register<MavenPublication>("release") {
            artifactId = "brr-keyboard"
            afterEvaluate { from(components["release"]) }
        }
    }
}
