package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Whoever embeds a module gets the versions that Maven finds by way of its POM alone, the nearest first: the root's
/// `dependencyManagement` does not reach them.
class ConsumerDependenciesTest {
    private static final Pattern JACKSON = Pattern.compile(
            "<groupId>(com\\.fasterxml\\.jackson[^<]*)</groupId>\\s*<artifactId>([^<]*)</artifactId>(\\s*<version>)?");

    /// Parts of Jackson of different versions do not work together.
    @Test
    void allOfJacksonIsNamedWhereCalciteIs() throws IOException {
        Set<String> named = jackson(Files.readString(Path.of("../../calcite-adapter/pom.xml")));
        assertThat(named).isNotEmpty();
        for (String jar : new String[] {"calcite-core", "avatica-core"}) {
            assertThat(named).as("what %s asks for", jar).containsAll(jackson(pomOf(jar)));
        }
        assertThat(named).containsAll(jackson(Files.readString(Path.of("../../core/pom.xml"))));
    }

    private static Set<String> jackson(String pom) {
        Set<String> artifacts = new TreeSet<>();
        Matcher matcher = JACKSON.matcher(pom);
        while (matcher.find()) {
            artifacts.add(matcher.group(1) + ":" + matcher.group(2));
        }
        return artifacts;
    }

    /// The POM that lies beside a JAR of the class path in Maven's repository.
    private static String pomOf(String artifact) throws IOException {
        Path jar = Arrays.stream(System.getProperty("java.class.path").split(":"))
                .map(Path::of)
                .filter(path -> path.getFileName() != null
                        && path.getFileName().toString().matches(artifact + "-[0-9.]+\\.jar"))
                .findFirst()
                .orElseThrow();
        String name = jar.getFileName().toString();
        return Files.readString(jar.resolveSibling(name.substring(0, name.length() - ".jar".length()) + ".pom"));
    }
}
