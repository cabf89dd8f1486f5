package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.server.config.ConfigFile;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The files of packaging/, as far as they can be tried here.
final class PackagingTest {
    private static final Path PACKAGING = Path.of("..", "packaging");

    @TempDir
    private Path folder;

    private static String text(String file) throws IOException {
        return Files.readString(PACKAGING.resolve(file));
    }

    private record Outcome(int exitCode, String output) {}

    private static Outcome run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Outcome(process.waitFor(), output);
    }

    @Test
    void theConfigurationIsOne() throws IOException {
        ServerConfig config = ConfigFile.read(ServerConfig.defaults(), PACKAGING.resolve("quarrel.toml"));
        assertThat(config.text(ServerSetting.DATA)).isEqualTo("/srv/quarrel");
        String commentedOut = text("quarrel.toml").replaceAll("(?m)^# (tls)", "$1");
        Path file = Files.writeString(folder.resolve("all.toml"), commentedOut);
        assertThat(ConfigFile.read(ServerConfig.defaults(), file).text(ServerSetting.TLS))
                .isEqualTo("required");
    }

    @Test
    void systemdTakesTheServiceAndFindsItSafe() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")), "systemd-analyze is not installed");
        String unit = text("quarrel.service").replace("ExecStart=/opt/quarrel/quarrel", "ExecStart=/bin/true");
        Path file = Files.writeString(folder.resolve("quarrel.service"), unit);
        Outcome verified = run("systemd-analyze", "verify", file.toString());
        assertThat(verified.exitCode()).as(verified.output()).isZero();
        assertThat(verified.output()).isEmpty();
        // In tenths: 0 is fully confined, 96 not at all.
        Outcome rated = run("systemd-analyze", "security", "--offline=true", "--threshold=20", file.toString());
        assertThat(rated.exitCode()).as(rated.output()).isZero();
    }

    @Test
    void systemdWaitsLongerThanTheDrain() throws IOException {
        ServerConfig config = ConfigFile.read(ServerConfig.defaults(), PACKAGING.resolve("quarrel.toml"));
        Matcher wait = Pattern.compile("TimeoutStopSec=(\\d+)s").matcher(text("quarrel.service"));
        assertThat(wait.find()).isTrue();
        assertThat(Integer.parseInt(wait.group(1))).isGreaterThan(config.number(ServerSetting.SHUTDOWN_TIMEOUT) + 5);
    }

    /// The options that the code needs, wherever a JVM is started.
    @Test
    void windowsAndTheImageGetTheJvmOptionsOfTheBuild() throws IOException {
        String pom = Files.readString(Path.of("..", "pom.xml"));
        String flags = property(pom, "quarrel.jvm.flags")
                .replace("${quarrel.jvm.access}", property(pom, "quarrel.jvm.access"));
        assertThat(flags).contains("--enable-native-access").doesNotContain("$");
        String cli = Files.readString(Path.of("pom.xml"));
        // What the JAR's manifest says as well would keep the JVM from its archive of modules.
        String manifest = property(cli, "manifestEntries").replaceAll("\\s+", "");
        assertThat(manifest)
                .contains("<Enable-Native-Access>ALL-UNNAMED<", "<Add-Opens>java.base/java.nio<")
                .contains("<Add-Exports>java.base/jdk.internal.module<"); // VectorModule adds the module
        String left = flags.replaceAll("--(add-modules |enable-native-access=|add-opens=)\\S+ ?", "");
        assertThat(text("quarrel.cmd")).contains("\" " + left + "%QUARREL_JAVA_OPTS% -jar ");
        List<String> ofImage = new ArrayList<>();
        Matcher flag = Pattern.compile("<jvmFlag>(.*?)</jvmFlag>").matcher(cli);
        while (flag.find()) {
            ofImage.add(flag.group(1));
        }
        assertThat(String.join(" ", ofImage)).contains(flags.replace("--add-modules ", "--add-modules="));
    }

    private static String property(String pom, String name) {
        Matcher property = Pattern.compile("<" + Pattern.quote(name) + ">(.*?)</" + Pattern.quote(name), Pattern.DOTALL)
                .matcher(pom);
        assertThat(property.find()).as(name).isTrue();
        return property.group(1);
    }

    /// cmd.exe loses its place in a script whose lines end otherwise.
    @Test
    void theScriptForWindowsHasItsLineEnds() throws IOException {
        assertThat(text("quarrel.cmd").replace("\r\n", "")).doesNotContain("\n", "\r");
    }

    @Test
    void thePlistIsXml() throws Exception {
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(PACKAGING.resolve("dev.quarrel.server.plist").toFile());
        assertThat(document.getDocumentElement().getTagName()).isEqualTo("plist");
    }
}
