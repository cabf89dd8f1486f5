package dev.quarrel.calcite.engine;

import dev.quarrel.calcite.parse.Statement;
import dev.quarrel.core.pg.PgType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// A cache of plans by statement, so that a dashboard's query is planned only once, whichever client sends it.
///
/// A plan is found by its statement's very text, and failing that by its lexemes ([StatementShape]); always for
/// the same parameter types, the same settings that planning reads, and the same version of the catalog.
///
/// - Memory: at most [#SIZE] entries; the one used longest ago goes first. Longer texts than [#MAX_TEXT] are not kept.
///
/// Threads share it.
final class PlanCache {
    private static final int SIZE = 1024;
    private static final int MAX_TEXT = 1 << 16;

    private final Map<Key, PlannedQuery> plans = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, PlannedQuery> eldest) {
            return size() > SIZE;
        }
    };

    /// Everything besides the text that a plan depends on. Each statement is looked up with it, so its hash is
    /// computed only once.
    static final class Context {
        private final List<PgType> declared;
        private final Planner.Options options;
        private final long catalogVersion;
        private final int hash;

        /// @param declared types of parameters, null for one to be inferred
        /// @param catalogVersion negative for what no catalog can change
        Context(List<PgType> declared, Planner.Options options, long catalogVersion) {
            this.declared = Collections.unmodifiableList(new ArrayList<>(declared)); // it may hold null
            this.options = options;
            this.catalogVersion = catalogVersion;
            this.hash = Objects.hash(this.declared, options, catalogVersion);
        }

        Planner.Options options() {
            return options;
        }

        @Override
        public boolean equals(Object other) {
            return other == this
                    || other instanceof Context that
                            && hash == that.hash
                            && catalogVersion == that.catalogVersion
                            && declared.equals(that.declared)
                            && options.equals(that.options);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    private record Key(String text, boolean normalized, Context context) {}

    /// Whether plans are kept for a statement: not for a very long one, nor where a literal may be read as another time
    /// each time.
    static boolean isKept(Statement.Query query) {
        return isKept(query.sql()) && !TimeWords.areIn(query.shape().literals());
    }

    private static boolean isKept(String sql) {
        return sql.length() <= MAX_TEXT;
    }

    /// The plan, or null.
    PlannedQuery find(Statement.Query query, Context context) {
        String sql = query.sql();
        if (!isKept(sql)) {
            return null;
        }
        Key exact = new Key(sql, false, context);
        synchronized (plans) {
            PlannedQuery known = plans.get(exact);
            if (known != null) {
                return known;
            }
        }
        Key normalized = new Key(query.shape().withLiterals(), true, context);
        synchronized (plans) {
            PlannedQuery known = plans.get(normalized);
            if (known != null) {
                plans.put(exact, known);
            }
            return known;
        }
    }

    /// As `find`, for this very text alone.
    PlannedQuery findExact(String sql, Context context) {
        if (!isKept(sql)) {
            return null;
        }
        Key exact = new Key(sql, false, context);
        synchronized (plans) {
            return plans.get(exact);
        }
    }

    void keep(Statement.Query query, Context context, PlannedQuery planned) {
        String sql = query.sql();
        if (!isKept(query)) {
            return;
        }
        Key normalized = new Key(query.shape().withLiterals(), true, context);
        synchronized (plans) {
            plans.put(new Key(sql, false, context), planned);
            plans.put(normalized, planned);
        }
    }

    /// Keeps a plan for this very text alone.
    void keepExact(String sql, Context context, PlannedQuery planned) {
        if (isKept(sql)) {
            synchronized (plans) {
                plans.put(new Key(sql, false, context), planned);
            }
        }
    }

    void clear() {
        synchronized (plans) {
            plans.clear();
        }
    }
}
