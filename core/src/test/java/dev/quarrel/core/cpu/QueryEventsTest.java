package dev.quarrel.core.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.table.MemoryTable;
import dev.quarrel.core.type.DataType;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueryEventsTest {
    @TempDir
    private Path folder;

    @Test
    void pipelinesAndBatchesAreRecorded() throws Exception {
        MemoryTable table = TestRows.table(
                "t", List.of(DataType.INT32), List.of(TestRows.row(1L), TestRows.row(2L), TestRows.row(3L)), 2);
        Path file = folder.resolve("events.jfr");
        try (Recording recording = new Recording();
                PlanRunner runner = new PlanRunner(1, 16)) {
            recording.enable("dev.quarrel.PipelineFinished");
            recording.enable("dev.quarrel.BatchScanned").withoutThreshold();
            recording.start();
            runner.rows(new PlanBuilder().scan(table).all().result(), table);
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("dev.quarrel.BatchScanned"))
                .extracting(event -> event.getLong("rows"))
                .containsExactlyInAnyOrder(2L, 1L);
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("dev.quarrel.PipelineFinished"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getLong("rowsIn")).isEqualTo(3);
                    assertThat(event.getLong("rowsOut")).isEqualTo(3);
                    assertThat(event.getString("device")).isEqualTo("cpu");
                });
    }
}
