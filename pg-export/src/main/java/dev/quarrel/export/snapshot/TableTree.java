package dev.quarrel.export.snapshot;

import dev.quarrel.core.type.QueryException;
import dev.quarrel.core.type.SqlState;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// A table with all of its partitions and children, and where their rows lie.
///
/// @param isTransparent whether the partitions and children may be read by their own names: the role has the right to,
///     and no policy hides rows of the whole
record TableTree(SelectedTable root, List<Member> members, boolean isTransparent) {
    private static final int DETACHED_CONCURRENTLY_SINCE = 140_000;

    /// @param rows the planner's estimate
    private record Member(long oid, String relation, String kind, long rows, long pages) {
        boolean hasPages() {
            return kind.equals("r");
        }
    }

    /// The table, and what belongs to it.
    ///
    /// - Errors: 55000 for a part of which a standby has no rows.
    static TableTree read(Connection connection, SelectedTable root, int serverVersion) throws SQLException {
        // A partition on its way out is none any more.
        String attached = serverVersion >= DETACHED_CONCURRENTLY_SINCE ? "AND NOT i.inhdetachpending" : "";
        // Temporary children are other sessions', and nobody else can read them.
        String sql = """
                WITH RECURSIVE tree(oid) AS (
                    SELECT ?::int8::oid
                    UNION
                    SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.oid %s)
                SELECT m.oid::int8, quote_ident(n.nspname) || '.' || quote_ident(m.relname), m.relkind::text,
                       greatest(m.reltuples, 0)::int8,
                       CASE WHEN m.relkind IN ('r', 'm')
                            THEN pg_relation_size(m.oid) / current_setting('block_size')::int8 ELSE 0 END,
                       has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(m.oid, 'SELECT'),
                       row_security_active(m.oid), m.relpersistence = 'u' AND pg_is_in_recovery()
                FROM tree t JOIN pg_class m ON m.oid = t.oid JOIN pg_namespace n ON n.oid = m.relnamespace
                WHERE m.relpersistence <> 't'
                ORDER BY n.nspname, m.relname""".formatted(attached);
        List<Member> members = new ArrayList<>();
        boolean isTransparent = true;
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setLong(1, root.oid());
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    Member member = new Member(
                            rows.getLong(1), rows.getString(2), rows.getString(3), rows.getLong(4), rows.getLong(5));
                    if (!root.leftOut().contains(member.oid())) {
                        if (rows.getBoolean(8)) {
                            throw new QueryException(
                                            SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE,
                                            member.relation() + ", a part of " + root.relation()
                                                    + ", is unlogged, and a standby has no rows of such tables")
                                    .withHint("export it from the primary, or leave it out with -T");
                        }
                        members.add(member);
                    }
                    isTransparent &= rows.getBoolean(6) && !rows.getBoolean(7);
                }
            }
        }
        return new TableTree(root, members, isTransparent);
    }

    /// Sees to it that the partitions and children are locked, with the whole. One that was attached after
    /// the whole was locked, and before the snapshot was taken, is not: somebody could empty it before it is
    /// read.
    ///
    /// - Errors: 55P03 naming it.
    void checkLocked(Connection connection) throws SQLException {
        if (!isParent() || !root.isLockable()) {
            return;
        }
        Set<Long> locked = new HashSet<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT relation::int8 FROM pg_locks"
                        + " WHERE pid = pg_backend_pid() AND locktype = 'relation' AND granted")) {
            while (rows.next()) {
                locked.add(rows.getLong(1));
            }
        }
        for (Member member : members) {
            if (!locked.contains(member.oid())) {
                throw new QueryException(
                                SqlState.LOCK_NOT_AVAILABLE,
                                member.relation() + " became a part of " + root.relation()
                                        + " while that was being locked")
                        .withHint("run the export again");
            }
        }
    }

    /// Whether it has partitions or children.
    boolean isParent() {
        return members.size() + root.leftOut().size() > 1;
    }

    /// The numbers of all tables that hold its rows, and of those above them.
    List<Long> oids() {
        return members.stream().map(Member::oid).toList();
    }

    /// The planner's estimate, or -1 where nobody ever counted.
    long rowEstimate() {
        long rows = 0;
        for (Member member : members) {
            rows += member.kind().equals("p") ? 0 : member.rows();
        }
        return rows > 0 ? rows : -1;
    }

    /// The condition that leaves out what is not wanted of the whole; empty if there is no such thing.
    String unwanted() {
        return root.leftOut().isEmpty()
                ? ""
                : root.leftOut().stream()
                        .sorted()
                        .map(String::valueOf)
                        .collect(Collectors.joining(",", "tableoid <> ALL ('{", "}'::oid[])"));
    }

    /// Every row once, cut by pages.
    ///
    /// @param scansRanges whether the server reads a range of pages without reading the others
    List<RowRange> ranges(int workers, boolean scansRanges) {
        List<RowRange> ranges = new ArrayList<>();
        if (!isParent()) {
            Member only = members.getFirst();
            // A materialized view cannot be locked, so it is read by one connection, which holds it from then on.
            add(only, only.relation(), 0, workers, only.hasPages() && scansRanges, ranges);
        } else if (isTransparent) {
            long pagesAfter = members.stream().mapToLong(Member::pages).sum();
            for (Member member : members) {
                pagesAfter -= member.pages();
                if (!member.kind().equals("p")) {
                    add(
                            member,
                            "ONLY " + member.relation(),
                            pagesAfter,
                            workers,
                            member.hasPages() && scansRanges,
                            ranges);
                }
            }
            if (ranges.isEmpty()) {
                ranges.add(new RowRange.OfRelation(0, root.relation(), "false", 0));
            }
        } else {
            addThroughRoot(workers, scansRanges, ranges);
        }
        return ranges;
    }

    private static void add(
            Member member, String from, long pagesAfter, int workers, boolean isCut, List<RowRange> ranges) {
        boolean isKnown = member.hasPages() || member.kind().equals("m");
        if (!isCut) {
            long weight = isKnown ? member.pages() : RowRange.UNKNOWN;
            ranges.add(new RowRange.OfRelation(ranges.size(), from, "", weight));
            return;
        }
        for (PageRange pages : PageRange.cut(member.pages(), pagesAfter, workers)) {
            ranges.add(new RowRange.OfRelation(ranges.size(), from, pages.condition(), pages.count(member.pages())));
        }
    }

    /// Reads the whole at the same pages of every partition and child.
    private void addThroughRoot(int workers, boolean scansRanges, List<RowRange> ranges) {
        boolean haveAllPages = members.stream()
                .allMatch(member -> member.hasPages() || member.kind().equals("p"));
        long allPages = members.stream().mapToLong(Member::pages).sum();
        long mostPages = members.stream().mapToLong(Member::pages).max().orElse(0);
        List<PageRange> cut =
                haveAllPages && scansRanges ? PageRange.cut(mostPages, 0, workers) : List.of(PageRange.whole());
        for (PageRange pages : cut) {
            String condition = both(unwanted(), pages.condition());
            long weight = haveAllPages ? allPages / cut.size() : RowRange.UNKNOWN;
            ranges.add(new RowRange.OfRelation(ranges.size(), root.relation(), condition, weight));
        }
    }

    /// Two conditions, of which either may be empty.
    static String both(String first, String second) {
        return first.isEmpty() ? second : second.isEmpty() ? first : first + " AND " + second;
    }
}
