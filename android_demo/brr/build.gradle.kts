plugins {
    alias(libs.plugins.android.library)
}

android {
    namespace = "org.brrkit"
    compileSdk = libs.versions.compileSdk.get().toInt()

    defaultConfig {
        minSdk = libs.versions.minSdk.get().toInt()
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
    // TfLiteRandomizer is for apps that bring TFLite (or LiteRT) themselves.
    compileOnly(libs.tflite.api)
}
