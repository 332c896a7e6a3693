package org.brrkit.keyboard

import android.content.Context
import androidx.work.Constraints
import androidx.work.Data
import androidx.work.ExistingWorkPolicy
import androidx.work.NetworkType
import androidx.work.OneTimeWorkRequest
import androidx.work.WorkManager
import androidx.work.Worker
import androidx.work.WorkerParameters
import java.io.IOException
import java.time.Duration
import java.util.concurrent.TimeUnit

/**
 * Runs an app's [Uploader] by WorkManager, for apps that have it: the library doesn't bring it.
 *
 * Each run asks for the next one, after [UploadPolicy.waitAfter]. Without consent there is no next one.
 * A run begins the day of frames, too, where text leaves in frames: on a day without typing as on any.
 *
 * ```
 * class App : Application(), UploadWorker.Owner {
 *     override val uploader by lazy { keyboard.uploader(HttpsTransport(receiver)) }
 * }
 * UploadWorker.schedule(context) // when consent is given, and when the app starts
 * ```
 */
public class UploadWorker(context: Context, parameters: WorkerParameters) :
    Worker(context, parameters) {

    /** What an app's `Application` is, so that the worker finds the uploader. */
    public interface Owner {
        /** Takes the outbox to the receiver; a process has one. */
        public val uploader: Uploader
    }

    override fun doWork(): Result {
        val uploader = (applicationContext as Owner).uploader
        val next = run(uploader, inputData.getInt(FAILURES, 0)) ?: return Result.success()
        WorkManager.getInstance(applicationContext)
            .enqueueUniqueWork(NAME, ExistingWorkPolicy.APPEND_OR_REPLACE, next)
        return Result.success()
    }

    public companion object {
        private const val NAME = "org.brrkit.keyboard.upload"
        private const val FAILURES = "failures"

        /** Makes uploads happen: call it when consent is given, and when the app starts. */
        @JvmStatic
        public fun schedule(context: Context) {
            val policy = (context.applicationContext as Owner).uploader.policy
            WorkManager.getInstance(context).enqueueUniqueWork(
                NAME, ExistingWorkPolicy.KEEP, request(policy, 0, policy.waitAfter(0)),
            )
        }

        /** Calls the uploads off: with consent withdrawn there is nothing to send. */
        @JvmStatic
        public fun cancel(context: Context) {
            WorkManager.getInstance(context).cancelUniqueWork(NAME)
        }

        /** Runs [uploader] after so many [failures] in a row; returns the next run, if there is one. */
        internal fun run(uploader: Uploader, failures: Int): OneTimeWorkRequest? {
            val policy = uploader.policy
            val upload = try {
                uploader.run()
            } catch (_: IOException) { // the outbox can't be read now
                Upload.Failed(sent = 0, retryAfter = null)
            }
            return when (upload) {
                is Upload.Done -> request(policy, 0, policy.waitAfter(0))
                is Upload.Failed ->
                    request(policy, failures + 1, policy.waitAfter(failures + 1, upload.retryAfter))
                Upload.Off -> null
            }
        }

        /** Returns a run after a [wait], under the constraints of [policy]. */
        internal fun request(
            policy: UploadPolicy,
            failures: Int,
            wait: Duration,
        ): OneTimeWorkRequest {
            val network = if (policy.unmetered) NetworkType.UNMETERED else NetworkType.CONNECTED
            val constraints = Constraints.Builder()
                .setRequiredNetworkType(network)
                .setRequiresCharging(policy.charging)
                .setRequiresBatteryNotLow(true)
                .build()
            return OneTimeWorkRequest.Builder(UploadWorker::class.java)
                .setConstraints(constraints)
                .setInputData(Data.Builder().putInt(FAILURES, failures).build())
                .setInitialDelay(wait.toMillis(), TimeUnit.MILLISECONDS)
                .build()
        }
    }
}
