import java.io.File;
import java.time.Duration;
import java.util.List;
import org.brrkit.BrrException;
import org.brrkit.Mechanism;
import org.brrkit.Memory;
import org.brrkit.Oov;
import org.brrkit.PrivacyBudget;
import org.brrkit.Privatizer;
import org.brrkit.SystemRandom;
import org.brrkit.Tokenizer;
import org.brrkit.WordBundle;

public final class JavaApp {
    public static void main(String[] arguments) {
        WordBundle bundle = WordBundle.open(new File(arguments[0]));
        File folder = new File(arguments[1]);
        Privatizer privatizer = new Privatizer.Builder(bundle)
                .epsilon(0.6)
                .mechanism(Mechanism.vickrey(List.of(0.1, 0.2)))
                .oov(Oov.RANDOM)
                .budget(new PrivacyBudget(300, Duration.ofDays(1), new File(folder, "java.json")))
                .memory(new Memory(Duration.ofDays(30), new File(folder, "memory.json")))
                .random(bytes -> SystemRandom.INSTANCE.fill(bytes))
                .build();
        List<String> tokens = Tokenizer.tokenize("Book me a flight to Boston!");
        System.out.println("java: " + String.join(" ", privatizer.words(tokens)));
        try {
            new Privatizer(bundle, 1e9);
        } catch (BrrException error) {
            System.out.println("java: " + error.getMessage());
        }
    }
}
