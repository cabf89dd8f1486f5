package dev.quarrel.export.mysql;

import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import dev.quarrel.export.config.ColumnRules;
import dev.quarrel.export.snapshot.ColumnFilter;
import dev.quarrel.export.snapshot.ExportColumn.DictionaryChoice;
import java.util.List;

/// Columns as the [ColumnRules] want them, as far as MySQL has such columns.
final class MySqlShapes {
    private final ColumnRules rules;
    private final ColumnFilter halves;
    private final ColumnFilter dictionaries;
    private final ColumnFilter statistics;

    MySqlShapes(ColumnRules rules) {
        this.rules = rules;
        this.halves = MySqlName.filter("float2", rules.halves());
        this.dictionaries = MySqlName.filter("dictionary", rules.dictionaries().orElse(List.of()));
        this.statistics = MySqlName.filter("stat", rules.statistics().orElse(List.of()));
    }

    /// - Errors: `QueryException` 42804 for a dictionary of other values than texts, and halves of others
    ///   than floats.
    MySqlColumn shaped(String database, String table, MySqlColumn column) {
        DictionaryChoice dictionary = column.layout().dictionary(); // an enum has one in any case
        if (rules.dictionaries().isPresent() && dictionary == DictionaryChoice.AUTO) {
            boolean isNamed = dictionaries.matches(database, table, column.name());
            if (isNamed && !(column.dataType() instanceof DataType.Utf8)) {
                throw wrong(table, column, "a dictionary holds texts");
            }
            dictionary = isNamed ? DictionaryChoice.ALWAYS : DictionaryChoice.ENUM;
        } else {
            dictionaries.matches(database, table, column.name());
        }
        boolean isSummarized = rules.statistics().isEmpty() || statistics.matches(database, table, column.name());
        MySqlColumn shaped =
                column.withLayout(column.layout().withDictionary(dictionary).withSummary(isSummarized));
        if (!halves.matches(database, table, column.name())) {
            return shaped;
        }
        if (!shaped.isFloat()) {
            throw wrong(table, column, "half floats are made of float and double");
        }
        return shaped.asHalf();
    }

    private static QueryException wrong(String table, MySqlColumn column, String why) {
        return new QueryException(
                SqlState.DATATYPE_MISMATCH,
                "column " + table + "." + column.name() + " is "
                        + column.declared().text() + ", and " + why);
    }

    void checkAllMatched() {
        halves.checkAllMatched();
        dictionaries.checkAllMatched();
        statistics.checkAllMatched();
    }
}
