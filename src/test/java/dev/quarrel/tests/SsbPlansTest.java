package dev.quarrel.tests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.device.DeviceConfig;
import dev.quarrel.core.ir.IrBinary;
import dev.quarrel.core.ir.IrText;
import dev.quarrel.core.ir.QueryPlan;
import dev.quarrel.samples.ssb.SsbQueries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The plans that the kernels' tests count instructions of are the planner's: they lie among those tests' resources, in
/// binary form, and `-Dupdate=true` writes them again.
class SsbPlansTest {
    private static final Path FOLDER = Path.of("../../cuda/src/test/resources/dev/quarrel/cuda/ssb");

    @Test
    void plansAreThePlanners() throws IOException, SQLException {
        PlanRecorder recorder = new PlanRecorder();
        Configuration recording =
                new Configuration("recorder", 2, 1024, DeviceConfig.Tier.INTERPRETED, -1, List.of(recorder));
        try (Connection quarrel = SsbData.shared().quarrel(recording)) {
            for (String name : SsbQueries.NAMES) {
                QueryPlan plan = plan(quarrel, SsbQueries.sql(name), recorder);
                Path file = FOLDER.resolve("q" + name + ".plan");
                if (System.getProperty("update") != null) {
                    Files.createDirectories(FOLDER);
                    Files.write(file, IrBinary.encode(plan));
                }
                assertThat(IrText.of(IrBinary.decode(Files.readAllBytes(file))))
                        .as(file + ", which -Dupdate=true writes again")
                        .isEqualTo(IrText.of(plan));
            }
        }
    }

    /// The plan of a statement, of whose columns nothing is asked: pgjdbc would ask the catalogs.
    private static QueryPlan plan(Connection quarrel, String sql, PlanRecorder recorder) throws SQLException {
        try (Statement statement = quarrel.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                // the rows do not matter here
            }
            return recorder.last();
        }
    }
}
