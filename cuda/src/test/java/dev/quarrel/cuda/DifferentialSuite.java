package dev.quarrel.cuda;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/// Runs test classes where there is no Maven: the GPU suite has them run on a GPU (`-Dquarrel.test.device=cuda`).
///
/// Arguments: a file for the report, then classes.
public final class DifferentialSuite {
    private static final int MOST_FAILURES = 20;

    private DifferentialSuite() {}

    /// Ends with 1 where a test failed, or none ran.
    public static void main(String[] arguments) throws IOException {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Arrays.stream(arguments)
                        .skip(1)
                        .map(DiscoverySelectors::selectClass)
                        .toList())
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        StringBuilder report = new StringBuilder(String.format(
                Locale.ROOT,
                "%d tests passed, %d failed, %d skipped, in %.1f s\n",
                summary.getTestsSucceededCount(),
                summary.getTestsFailedCount(),
                summary.getTestsSkippedCount() + summary.getTestsAbortedCount(),
                (summary.getTimeFinished() - summary.getTimeStarted()) / 1e3));
        summary.getFailures().stream()
                .limit(MOST_FAILURES)
                .forEach(failure -> report.append("- ")
                        .append(failure.getTestIdentifier().getDisplayName())
                        .append(": ")
                        .append(String.valueOf(failure.getException())
                                .lines()
                                .limit(4)
                                .toList())
                        .append('\n'));
        Files.writeString(Path.of(arguments[0]), report);
        System.out.print(report);
        boolean isGood = summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0;
        System.exit(isGood ? 0 : 1);
    }
}
