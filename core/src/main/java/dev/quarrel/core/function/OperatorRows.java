package dev.quarrel.core.function;

import dev.quarrel.core.pg.PgType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The functions behind operators, which PostgreSQL lets a statement call by name: `int4pl(1, 2)` is `1 + 2`.
///
/// The file beside it is made by `FunctionCatalogTest` from PostgreSQL's `pg_operator`: a line each has the name, the
/// operator, the volatility's letter, the result's type and those of the arguments.
final class OperatorRows {
    private static final Map<String, PgType> TYPES =
            Arrays.stream(PgType.values()).collect(Collectors.toMap(PgType::typeName, Function.identity()));

    static final List<FunctionRow> ALL = FunctionCatalog.lines("operator-functions.tsv").stream()
            .map(OperatorRows::row)
            .toList();

    private OperatorRows() {}

    private static FunctionRow row(String line) {
        String[] cells = line.split("\t");
        PgType[] arguments = Arrays.stream(cells[4].split(" ")).map(TYPES::get).toArray(PgType[]::new);
        FunctionRow.Draft draft = FunctionRow.function(cells[0], arguments).gives(TYPES.get(cells[3]));
        return (cells[2].equals("s") ? draft.stable() : draft).operator(cells[1]);
    }
}
