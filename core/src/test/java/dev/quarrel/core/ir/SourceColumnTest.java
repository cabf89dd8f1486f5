package dev.quarrel.core.ir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.core.type.DataType;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Which outputs of programs are inputs handed on, and columns of the source.
class SourceColumnTest {
    private static final List<DataType> TYPES = List.of(DataType.INT32, DataType.INT32);

    /// The sum of both inputs, the second, the first.
    private static Program sumAndBoth() {
        ProgramBuilder builder = new ProgramBuilder(TYPES);
        int first = builder.load(0, ProgramBuilder.ALL_ROWS);
        int second = builder.load(1, ProgramBuilder.ALL_ROWS);
        int sum = builder.value(Opcode.ADD_INT32, DataType.INT32, ProgramBuilder.ALL_ROWS, 0, first, second);
        return builder.build(ProgramBuilder.ALL_ROWS, List.of(sum, second, first), List.of());
    }

    @Test
    void inputOfAnOutput() {
        Program program = sumAndBoth();
        assertThat(program.inputOf(0)).isEqualTo(-1);
        assertThat(program.inputOf(1)).isEqualTo(1);
        assertThat(program.inputOf(2)).isEqualTo(0);
    }

    @Test
    void sourceColumnThroughAJoin() {
        // Behind the join: what it carries (the first column), then the build side's.
        Join join = new Join(JoinKind.INNER, 0, List.of(1), List.of(2), List.of(0), null);
        Pipeline pipeline = new Pipeline(
                1,
                new Source.Rows(2, TYPES),
                List.of(sumAndBoth(), sumAndBoth()),
                List.of(join),
                new Sink.Last(Sink.Bound.NONE));
        assertThat(pipeline.sourceColumn(0, 0)).isEqualTo(-1);
        assertThat(pipeline.sourceColumn(0, 1)).isEqualTo(1);
        assertThat(pipeline.sourceColumn(0, 2)).isEqualTo(0);
        assertThat(pipeline.sourceColumn(1, 0)).isEqualTo(-1);
        assertThat(pipeline.sourceColumn(1, 1)).as("of the build side").isEqualTo(-1);
        assertThat(pipeline.sourceColumn(1, 2)).isEqualTo(0);
    }
}
