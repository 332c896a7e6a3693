import javax.inject.Inject
import org.gradle.process.ExecOperations

plugins {
    alias(libs.plugins.android.application)
}

android {
    namespace = "org.brrkit.demo"
    compileSdk = libs.versions.compileSdk.get().toInt()

    defaultConfig {
        applicationId = "org.brrkit.demo"
        minSdk = libs.versions.minSdk.get().toInt()
        targetSdk = libs.versions.targetSdk.get().toInt()
        versionCode = 1
        versionName = version.toString()
    }

    // The bundle is mapped from inside the app.
    androidResources {
        noCompress += listOf("safetensors", "tflite")
    }

    buildTypes {
        release {
            isMinifyEnabled = true
            isShrinkResources = true
            proguardFiles(getDefaultProguardFile("proguard-android-optimize.txt"))
        }
    }

    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
}

dependencies {
    implementation(project(":brr-keyboard"))
}

/** Verifies a bundle, and puts the files that a device needs into the app's assets. */
abstract class BundleAssets @Inject constructor(
    private val commands: ExecOperations,
    private val files: FileSystemOperations,
) : DefaultTask() {
    /** A directory written by `brr build`. */
    @get:InputDirectory
    abstract val bundle: DirectoryProperty

    /** The toolchain's command. */
    @get:Input
    abstract val brr: Property<String>

    @get:OutputDirectory
    abstract val assets: DirectoryProperty

    @TaskAction
    fun copy() {
        commands.exec { commandLine(brr.get(), "verify", bundle.get().asFile.path) }
        files.sync {
            from(bundle) { exclude("parity.json") }
            into(assets.dir("bundles/en"))
        }
    }
}

androidComponents {
    onVariants { variant ->
        val name = variant.name.replaceFirstChar(Char::uppercase)
        val task = tasks.register<BundleAssets>("bundle${name}Assets") {
            bundle = layout.projectDirectory.dir(
                providers.gradleProperty("brr.bundle").orElse("../../runtime/brrkit/sample"),
            )
            brr = providers.gradleProperty("brr.command").orElse("brr")
        }
        variant.sources.assets?.addGeneratedSourceDirectory(task, BundleAssets::assets)
    }
}
