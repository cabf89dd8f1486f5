package dev.quarrel.calcite.parse;

import java.util.List;
import org.apache.calcite.sql.JoinConditionType;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlJoin;
import org.apache.calcite.sql.SqlLiteral;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;
import org.apache.calcite.sql.parser.SqlParserPos;

/// An ASOF, LT or SPLICE join: with the one row of the right side that is the nearest in time. Or a WINDOW join: with
/// those within a time around.
public final class SeriesJoin extends SqlJoin {
    /// Behind the word of a join whose word PostgreSQL would take for the left table's alias.
    static final String AMBIGUOUS = "?";

    private final Form form;

    /// How it is written.
    ///
    /// @param word asof, lt, splice or window
    /// @param isAmbiguous whether PostgreSQL reads the word as the left table's alias, and nothing says that it is
    /// not
    /// @param isLeft whether LEFT is written
    /// @param isInner whether INNER is written
    /// @param names what stands in `ON (a, b)` or `ON a`; none where ON has a condition or is missing
    /// @param isUsing whether USING stands there instead: then the last name is the one in whose order rows are
    /// near
    /// @param tolerance how far the nearest row may be; null for any distance
    /// @param window of a WINDOW join; null where none is written
    public record Form(
            String word,
            boolean isAmbiguous,
            boolean isLeft,
            boolean isInner,
            List<SqlIdentifier> names,
            boolean isUsing,
            SeriesClauses.Step tolerance,
            JoinWindow window) {
        public Form {
            names = List.copyOf(names);
        }

        /// Whether it is a WINDOW join.
        public boolean isWindow() {
            return word.equals("window");
        }
    }

    /// @param condition behind ON; null for none
    public SeriesJoin(SqlParserPos pos, SqlNode left, SqlNode right, SqlNode condition, Form form) {
        super(
                pos,
                left,
                SqlLiteral.createBoolean(false, pos),
                (form.isLeft() ? JoinType.LEFT : JoinType.INNER).symbol(pos),
                right,
                (condition == null ? JoinConditionType.NONE : JoinConditionType.ON).symbol(pos),
                condition);
        this.form = form;
    }

    public Form form() {
        return form;
    }

    /// The same join of others.
    public SeriesJoin of(SqlNode left, SqlNode right) {
        return new SeriesJoin(getParserPosition(), left, right, getCondition(), form);
    }

    /// A join of any kind with other sides.
    public static SqlJoin with(SqlJoin join, SqlNode left, SqlNode right) {
        if (join instanceof SeriesJoin series) {
            return series.of(left, right);
        }
        return new SqlJoin(
                join.getParserPosition(),
                left,
                join.isNaturalNode(),
                join.getJoinTypeNode(),
                right,
                join.getConditionTypeNode(),
                join.getCondition());
    }

    /// What the parser has read of one.
    public static final class Draft {
        public SqlParserPos pos;
        public String word;
        public boolean isLeft;
        public boolean isInner;
        public boolean isUsing;
        public SqlNode condition; // or null
        public SqlNodeList names = SqlNodeList.EMPTY;
        public SeriesClauses.Step tolerance; // or null
        public JoinWindow window; // or null

        public SeriesJoin end(SqlNode left, SqlNode right) {
            // A condition of a name alone would be a truth of one side: by none of these no row is near.
            if (condition instanceof SqlIdentifier name && name.isSimple()) {
                names = SqlNodeList.of(name);
                condition = null;
            }
            boolean isAmbiguous = word.endsWith(AMBIGUOUS);
            return new SeriesJoin(
                    pos,
                    left,
                    right,
                    condition,
                    new Form(
                            isAmbiguous ? word.substring(0, word.length() - AMBIGUOUS.length()) : word,
                            isAmbiguous && names.isEmpty() && condition != null && tolerance == null,
                            isLeft,
                            isInner,
                            names.stream().map(SqlIdentifier.class::cast).toList(),
                            isUsing,
                            tolerance,
                            window));
        }
    }
}
