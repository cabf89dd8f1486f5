package dev.quarrel.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.export.ExportMain;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import picocli.CommandLine;

/// Every option of `./quarrel export` beside the parameter of the Maven goal that does the same.
final class GoalParametersTest {
    private static final Map<String, String> PARAMETERS = Map.ofEntries(
            Map.entry("--dbname", "url"),
            Map.entry("--table", "tables"),
            Map.entry("--schema", "schemas"),
            Map.entry("--all", "all"),
            Map.entry("--exclude-table", "excludeTables"),
            Map.entry("--command", "queries"),
            Map.entry("--name", "queries"),
            Map.entry("--parallel-keys", "keys"),
            Map.entry("--inner-join", "joins"),
            Map.entry("--outer-join", "joins"),
            Map.entry("--dry-run", "dryRun"),
            Map.entry("--cast", "cast"),
            Map.entry("--interval", "interval"),
            Map.entry("--set", "set"),
            Map.entry("--lz4", "lz4"),
            Map.entry("--where", "where"),
            Map.entry("--incremental", "incremental"),
            Map.entry("--key", "key"),
            Map.entry("--overlap", "overlap"),
            Map.entry("--no-deletes", "deletes"),
            Map.entry("--verify-rows", "verifyRows"),
            Map.entry("--split-by", "splitBy"),
            Map.entry("--serializable-deferrable", "deferrable"),
            Map.entry("--snapshot", "snapshot"),
            Map.entry("--lock-timeout", "lockTimeout"),
            Map.entry("--output", "output"),
            Map.entry("--parquet", "parquet"),
            Map.entry("--num-workers", "workers"),
            Map.entry("--append", "append"),
            Map.entry("--keep-runs", "keepRuns"),
            Map.entry("--cached", "cached"),
            Map.entry("--exclude", "exclude"),
            Map.entry("--numeric", "numeric"),
            Map.entry("--numeric-overflow", "numericOverflow"),
            Map.entry("--infinity", "infinity"),
            Map.entry("--zstd", "zstdLevel"),
            Map.entry("--batch-size", "batchBytes"),
            Map.entry("--memory", "memoryBytes"),
            Map.entry("--dictionary", "dictionary"),
            Map.entry("--no-dictionaries", "dictionaries"),
            Map.entry("--stat", "stat"),
            Map.entry("--no-stat", "stat"),
            Map.entry("--flatten", "flatten"),
            Map.entry("--float2", "float2"),
            Map.entry("--large-offsets", "largeOffsets"),
            Map.entry("--partition-by", "partitionBy"),
            Map.entry("--resume", "resume"),
            Map.entry("--json", "json"));

    /// What a build has no use for: a prompt, runs without end, and what Maven itself tells of a plugin.
    private static final Set<String> COMMAND_ONLY = Set.of("--password", "--every", "--help", "--version");

    /// What the JVM that exports is, and whether it does.
    private static final Set<String> GOAL_ONLY = Set.of("jdkHome", "jvmArguments", "skip");

    @Test
    void everyOptionHasItsParameter() throws Exception {
        Map<String, String> paired = new TreeMap<>(PARAMETERS);
        Set<String> options = new TreeSet<>();
        for (CommandLine.Model.OptionSpec option :
                new CommandLine(new ExportCommand()).getCommandSpec().options()) {
            options.add(option.longestName());
        }
        options.removeAll(COMMAND_ONLY);
        assertThat(options).isEqualTo(paired.keySet());
        Set<String> parameters = new TreeSet<>(editableParameters());
        parameters.removeAll(GOAL_ONLY);
        assertThat(parameters).isEqualTo(new TreeSet<>(paired.values()));
    }

    private static List<String> editableParameters() throws Exception {
        List<String> names = new ArrayList<>();
        try (InputStream descriptor = ExportMain.class.getResourceAsStream("/META-INF/maven/plugin.xml")) {
            NodeList parameters = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(descriptor)
                    .getElementsByTagName("parameter");
            for (int index = 0; index < parameters.getLength(); index++) {
                Element parameter = (Element) parameters.item(index);
                if (text(parameter, "editable").equals("true")) {
                    names.add(text(parameter, "name"));
                }
            }
        }
        return names;
    }

    private static String text(Element parameter, String name) {
        return parameter.getElementsByTagName(name).item(0).getTextContent();
    }
}
