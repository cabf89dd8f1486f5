package dev.quarrel.calcite.parse;

import java.util.ArrayList;
import java.util.List;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.parser.SqlParserPos;

/// What a SELECT has of the syntax for time series: LATEST ON and SAMPLE BY, as the parser finds them.
public final class SeriesClauses {
    public Latest latest; // or null
    public Sample sample; // or null

    /// `LATEST ON ts PARTITION BY k, …`
    public record Latest(SqlParserPos pos, SqlIdentifier timestamp, List<SqlIdentifier> keys) {
        public Latest {
            keys = List.copyOf(keys);
        }
    }

    /// A number of units: `10s`, `1M`.
    ///
    /// @param unit as written; its case counts
    public record Step(SqlParserPos pos, long count, String unit) {}

    /// `SAMPLE BY 1h FROM … TO … FILL(…) ALIGN TO …`
    public static final class Sample {
        public SqlParserPos pos;
        public Step step;
        public SqlNode from; // or null
        public SqlNode to; // or null
        public final List<SqlNode> fill = new ArrayList<>(); // none: FILL(NONE)
        public boolean isFromFirst; // ALIGN TO FIRST OBSERVATION
        public SqlNode zone; // or null
        public SqlNode offset; // or null
    }
}
