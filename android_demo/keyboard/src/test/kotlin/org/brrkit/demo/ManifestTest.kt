package org.brrkit.demo

import android.Manifest
import android.content.ComponentName
import android.content.Intent
import android.content.pm.ActivityInfo
import android.content.pm.ApplicationInfo
import android.content.pm.PackageManager
import android.view.inputmethod.InputMethod
import org.junit.Assert.assertEquals
import org.junit.Assert.assertNull
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

@RunWith(RobolectricTestRunner::class)
class ManifestTest {
    private val app = RuntimeEnvironment.getApplication()

    @Test
    fun noPermissionIsAskedForNotEvenInternet() {
        val info = app.packageManager
            .getPackageInfo(app.packageName, PackageManager.GET_PERMISSIONS)
        assertNull(info.requestedPermissions)
    }

    @Test
    fun theServiceIsAnInputMethod() {
        val found = app.packageManager.queryIntentServices(
            Intent(InputMethod.SERVICE_INTERFACE).setPackage(app.packageName),
            0,
        )
        assertEquals(
            listOf(BrrInputMethodService::class.java.name),
            found.map { it.serviceInfo.name },
        )
        assertEquals(
            Manifest.permission.BIND_INPUT_METHOD,
            found.single().serviceInfo.permission,
        )
    }

    @Test
    fun nothingIsBackedUp() {
        assertEquals(0, app.applicationInfo.flags and ApplicationInfo.FLAG_ALLOW_BACKUP)
    }

    /** A second one, opened from the keyboard on top of the first, would take its log away. */
    @Test
    fun thereIsOneSettingsScreen() {
        val screen = ComponentName(app, SettingsActivity::class.java)
        val info = app.packageManager.getActivityInfo(screen, 0)
        assertEquals(ActivityInfo.LAUNCH_SINGLE_TASK, info.launchMode)
    }
}
