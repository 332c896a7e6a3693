import android.content.Context;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.brrkit.BrrException;
import org.brrkit.CountsSetting;
import org.brrkit.KeyVault;
import org.brrkit.Mechanism;
import org.brrkit.Memory;
import org.brrkit.Oov;
import org.brrkit.PrivacyBudget;
import org.brrkit.Privatizer;
import org.brrkit.Setting;
import org.brrkit.SystemRandom;
import org.brrkit.WordBundle;
import org.brrkit.keyboard.BrrKeyboard;
import org.brrkit.keyboard.Consent;
import org.brrkit.keyboard.HttpsTransport;
import org.brrkit.keyboard.Outbox;
import org.brrkit.keyboard.OutboxLimits;
import org.brrkit.keyboard.ReleaseSettings;
import org.brrkit.keyboard.ReleaseStrip;
import org.brrkit.keyboard.ReportSettings;
import org.brrkit.keyboard.Reporter;
import org.brrkit.keyboard.Upload;
import org.brrkit.keyboard.UploadPolicy;
import org.brrkit.keyboard.Uploader;

public final class JavaApp {
    public static void main(String[] arguments) throws Exception {
        WordBundle bundle = WordBundle.open(new File(arguments[0]));
        File folder = new File(arguments[1], "java");
        folder.mkdir();
        Privatizer privatizer = new Privatizer.Builder(bundle)
                .setting(new Setting(0.6, Mechanism.vickrey(List.of(0.1, 0.2))))
                .oov(Oov.RANDOM)
                .budget(new PrivacyBudget(300, Duration.ofDays(1), new File(folder, "daily.json")))
                .memory(new Memory(Duration.ofDays(30), new File(folder, "memory.json")))
                .random(bytes -> SystemRandom.INSTANCE.fill(bytes))
                .build();
        List<String> tokens = bundle.tokenize("Book me a flight to Boston!");
        System.out.println("java: " + String.join(" ", privatizer.words(tokens)));
        try {
            new Privatizer(bundle, new Setting(1e9));
        } catch (BrrException error) {
            System.out.println("java: " + error.getMessage());
        }
        Trust.only(new File(arguments[3]));
        Upload upload =
                send("Book me a flight to Boston!", bundle, folder, null, new URL(arguments[2]));
        System.out.println("java: " + upload);
        System.out.println("java, tomorrow: " + sendTomorrow(folder, new URL(arguments[2])));
    }

    /** A day's words leave when the day is over. Another call of send then does this. */
    static Upload sendTomorrow(File folder, URL receiver) throws IOException {
        Clock tomorrow = Clock.offset(Clock.systemUTC(), Duration.ofDays(1));
        Outbox outbox = new Outbox(new File(folder, "outbox"), null, new OutboxLimits(), tomorrow);
        Consent consent = new Consent(new File(folder, "consent"), outbox);
        return new Uploader(outbox, consent, new HttpsTransport(receiver)).run();
    }

    static Upload send(String typed, WordBundle bundle, File folder, KeyVault vault, URL receiver)
            throws IOException {
        ReportSettings settings = new ReportSettings(new CountsSetting(7.53, 1));
        PrivacyBudget budget =
                new PrivacyBudget(300, Duration.ofDays(1), new File(folder, "budget.json"));
        Outbox outbox = new Outbox(new File(folder, "outbox"), vault);
        Consent consent = new Consent(new File(folder, "consent"), outbox);
        consent.give(); // after the user has agreed
        new Reporter(outbox).report(bundle.tokenize(typed), bundle, settings, budget);
        UploadPolicy policy = new UploadPolicy(Duration.ofHours(6));
        return new Uploader(outbox, consent, new HttpsTransport(receiver), policy).run();
    }

    /** A keyboard's parts, which need a phone. This shows that Java can use them. */
    static BrrKeyboard keyboard(Context context, List<String> shown) {
        BrrKeyboard keyboard =
                new BrrKeyboard.Builder(context, () -> WordBundle.open(context, "bundle"))
                        .memoryPeriod(Duration.ofDays(30))
                        .settings(bundle -> ReleaseSettings.recommended(bundle, 300))
                        .build();
        keyboard.suggest("lon", shown::addAll);
        keyboard.release("london", release -> shown.add(release.toString()));
        keyboard.getBundle().run(
                WordBundle::getSize,
                size -> shown.add(size.fold(String::valueOf, BrrException::getMessage)));
        new ReleaseStrip(context).onOpenSettings(() -> shown.add("settings"));
        return keyboard;
    }
}
