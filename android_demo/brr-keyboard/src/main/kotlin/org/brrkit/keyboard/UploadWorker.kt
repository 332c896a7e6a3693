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
 * Runs an app's [Uploader] with WorkManager. The app must include WorkManager; the library doesn't.
 *
 * Each run schedules the next one, after [UploadPolicy.waitAfter]. Without consent, there is no next run. With
 * frames, each run also begins the day, even if nobody types.
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

    /** Implemented by the app's `Application`, so that the worker finds the uploader. */
    public interface Owner {
        /** Sends the outbox's reports to the receiver. A process has one uploader. */
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

        /** Schedules uploads. Call it when consent is given, and when the app starts. */
        @JvmStatic
        public fun schedule(context: Context) {
            val policy = (context.applicationContext as Owner).uploader.policy
            WorkManager.getInstance(context).enqueueUniqueWork(
                NAME, ExistingWorkPolicy.KEEP, request(policy, 0, policy.waitAfter(0)),
            )
        }

        /** Cancels the uploads. After consent is withdrawn, there is nothing to send. */
        @JvmStatic
        public fun cancel(context: Context) {
            WorkManager.getInstance(context).cancelUniqueWork(NAME)
        }

        /** Runs [uploader] after a number of [failures] in a row. Returns the next run, if there is one. */
        internal fun run(uploader: Uploader, failures: Int): OneTimeWorkRequest? {
            val policy = uploader.policy
            val upload = try {
                uploader.run()
            } catch (_: IOException) { // the outbox can't be read at present
                Upload.Failed(sent = 0, retryAfter = null)
            }
            return when (upload) {
                is Upload.Done -> request(policy, 0, policy.waitAfter(0))
                is Upload.Failed ->
                    request(policy, failures + 1, policy.waitAfter(failures + 1, upload.retryAfter))
                Upload.Off -> null
            }
        }

        /** Returns a run after a [wait], with the constraints of [policy]. */
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
