package dev.quarrel.core.cpu.function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.core.function.FunctionCatalog;
import dev.quarrel.core.function.FunctionRow;
import dev.quarrel.core.function.FunctionRow.Kind;
import dev.quarrel.core.ir.Callee;
import dev.quarrel.core.type.DataType;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KernelsTest {
    @Test
    void everyRowHasItsKernelAndEveryKernelItsRow() {
        Set<String> named = Stream.concat(FunctionCatalog.all().stream(), FunctionCatalog.internal().stream())
                .map(KernelsTest::id)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(Kernels.ids()).containsExactlyElementsOf(named);
    }

    private static String id(FunctionRow row) {
        return switch (row.kind()) {
            case Kind.Kernel(String id, Callee.Body _) -> id;
            case Kind.Rows(String id, String _) -> id;
            default -> null;
        };
    }

    @Test
    void rowsOfOneKernelAreCalledAlike() {
        FunctionCatalog.all().stream()
                .filter(row -> row.kind() instanceof Kind.Kernel)
                .collect(Collectors.groupingBy(KernelsTest::id))
                .forEach((id, rows) -> assertThat(
                                rows.stream().map(FunctionRow::arguments).distinct())
                        .as(id)
                        .hasSize(1));
    }

    @Test
    void aCalleeThatIsNotTheFunctionOfItsIdIsRefused() {
        Callee foreign = new Callee("dsqrt", "sqrt", List.of(DataType.INT32), DataType.FLOAT64, true, Set.of(), null);
        assertThatThrownBy(() -> Kernels.of(foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dsqrt");
    }
}
