plugins {
    alias(libs.plugins.android.library)
    `maven-publish`
}

android {
    namespace = "org.brrkit"
    compileSdk = libs.versions.compileSdk.get().toInt()

    defaultConfig {
        minSdk = libs.versions.minSdk.get().toInt()
        consumerProguardFiles("src/main/resources/META-INF/proguard/brr-runtime.pro")
        testInstrumentationRunner = "androidx.test.runner.AndroidJUnitRunner"
    }

    // The bundle of the instrumented test, assets/sample, and the Python modules beside it.
    sourceSets["androidTest"].assets.srcDir("../../runtime/brrkit")

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
    compileOnly(libs.androidx.annotation)
    // TfLiteRandomizer is for apps that include LiteRT themselves.
    compileOnly(libs.litert)
    androidTestImplementation(libs.androidx.test.junit)
    androidTestImplementation(libs.androidx.test.runner)
}

// For apps that build the library themselves (publishToMavenLocal). Releases are built by Maven.
publishing {
    publications {
        register<MavenPublication>("release") {
            artifactId = "brr-runtime"
            afterEvaluate { from(components["release"]) }
        }
    }
}
