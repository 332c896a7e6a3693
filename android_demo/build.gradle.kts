plugins {
    alias(libs.plugins.android.application) apply false
    alias(libs.plugins.android.library) apply false
}

subprojects {
    // Maven runs the tests. They compare with the Python runtime, and need no Android SDK.
    tasks.matching { "UnitTest" in it.name }.configureEach { enabled = false }
}
