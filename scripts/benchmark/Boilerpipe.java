import de.l3s.boilerpipe.extractors.ArticleExtractor;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The side of Java's boilerpipe in speed.py: each line has files, each answer seconds. */
public class Boilerpipe {
    private static final Pattern FILE = Pattern.compile("\"([^\"]+\\.html)\"");

    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            long spent = 0;
            Matcher files = FILE.matcher(line);
            while (files.find()) {
                byte[] content = Files.readAllBytes(Path.of(files.group(1)));
                long started = clock.getCurrentThreadCpuTime();
                String page = new String(content, StandardCharsets.UTF_8);
                ArticleExtractor.INSTANCE.getText(new StringReader(page));
                spent += clock.getCurrentThreadCpuTime() - started;
            }
            System.out.println("{\"Java's boilerpipe, main text\": [" + spent / 1e9 + "]}");
        }
    }
}
