package dev.quarrel.calcite.sql.series;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.calcite.sql.JoinType;
import org.apache.calcite.sql.SqlIdentifier;
import org.apache.calcite.sql.SqlNode;

/// Groups by a bucket of time and other keys, joined to all buckets of each of these keys: a bucket without a group
/// sees the one before (an ASOF join), and the one behind it.
///
/// The groups are a WITH query of the columns `bucket$`, `key$0`, …, `value$0`, …, and `number$`, which numbers the
/// keys that are no time: so NULL is a key like others.
final class FilledGroups {
    static final String BUCKET = "bucket$";
    static final String NUMBER = "number$";
    static final String SERIES = "s$";
    private static final String GROUPS = "groups$";
    private static final String PREVIOUS = "p$";
    private static final String NEXT = "n$";

    private final SeriesTree tree;
    private final SqlNode groups;
    private final List<SqlNode> keys;
    private final SqlNode bucket;
    private final SqlNode number;

    /// @param groups the query that groups, of `bucket$`, keys and values
    /// @param steps the alias of the side with `bucket$`
    /// @param owners the alias of the side with `number$`, which may be the same
    FilledGroups(SeriesTree tree, SqlNode groups, int keyCount, String steps, String owners) {
        this(
                tree,
                groups,
                IntStream.range(0, keyCount)
                        .<SqlNode>mapToObj(place -> tree.name(key(place)))
                        .toList(),
                tree.name(steps, BUCKET),
                tree.name(owners, NUMBER));
    }

    private FilledGroups(SeriesTree tree, SqlNode groups, List<SqlNode> keys, SqlNode bucket, SqlNode number) {
        this.tree = tree;
        this.groups = groups;
        this.keys = keys;
        this.bucket = bucket;
        this.number = number;
    }

    /// The same of other groups.
    FilledGroups of(SqlNode others) {
        return new FilledGroups(tree, others, keys, bucket, number);
    }

    static String key(int place) {
        return "key$" + place;
    }

    static String value(int place) {
        return "value$" + place;
    }

    /// A query over the groups.
    SqlNode with(SqlNode body) {
        SqlNode numbers = keys.isEmpty() ? tree.number(1) : tree.overOrder(tree.call("dense_rank"), keys);
        SqlNode numbered = tree.select(
                List.of(SqlIdentifier.star(tree.pos()), tree.as(numbers, tree.name(NUMBER))),
                tree.as(groups, tree.name("g")),
                null,
                List.of(),
                false);
        return tree.with(tree.name(GROUPS), numbered, body);
    }

    SqlNode groups() {
        return tree.name(GROUPS);
    }

    /// The keys that any group has, and their numbers.
    ///
    /// @param names of the keys' columns
    SqlNode owners(List<String> names, String alias) {
        List<SqlNode> known = new ArrayList<>();
        for (int place = 0; place < keys.size(); place++) {
            known.add(tree.as(keys.get(place), tree.name(names.get(place))));
        }
        known.add(tree.name(NUMBER));
        return tree.as(tree.select(known, groups(), null, List.of(), true), tree.name(alias));
    }

    /// The buckets from a first to a last one.
    SqlNode series(SqlNode first, SqlNode last, SqlNode step) {
        return tree.as(
                tree.rows(tree.call("generate_series", first, last, step)), tree.name(SERIES), tree.name(BUCKET));
    }

    /// Steps with the group that is theirs, or with none.
    SqlNode withOwn(SqlNode steps) {
        return tree.join(steps, JoinType.LEFT, previous(PREVIOUS), tree.and(sameKey(PREVIOUS), isThere()));
    }

    /// Steps with the last group that is not later.
    SqlNode withPrevious(SqlNode steps) {
        return tree.nearest(steps, previous(PREVIOUS), notLater(PREVIOUS));
    }

    /// Steps with the first group that is not earlier.
    SqlNode withNext(SqlNode steps) {
        return tree.nearest(
                steps, previous(NEXT), tree.and(sameKey(NEXT), tree.notGreater(bucket, tree.name(NEXT, BUCKET))));
    }

    /// Steps with the last group that is not later and has a value.
    SqlNode withPresent(SqlNode steps, int place) {
        SqlNode present = tree.select(
                List.of(tree.name(BUCKET), tree.name(NUMBER), tree.name(value(place))),
                groups(),
                tree.isNotNull(tree.name(value(place))),
                List.of(),
                false);
        return tree.nearest(steps, tree.as(present, tree.name(present(place))), notLater(present(place)));
    }

    private SqlNode previous(String alias) {
        return tree.as(groups(), tree.name(alias));
    }

    private SqlNode notLater(String alias) {
        return tree.and(sameKey(alias), tree.notLess(bucket, tree.name(alias, BUCKET)));
    }

    private SqlNode sameKey(String alias) {
        return tree.equal(number, tree.name(alias, NUMBER));
    }

    private static String present(int place) {
        return PREVIOUS + place;
    }

    // ---- expressions over what is joined

    SqlNode bucket() {
        return bucket;
    }

    /// Whether the bucket has a group.
    SqlNode isThere() {
        return tree.equal(bucket, previousBucket());
    }

    SqlNode previousBucket() {
        return tree.name(PREVIOUS, BUCKET);
    }

    SqlNode previousValue(int place) {
        return tree.name(PREVIOUS, value(place));
    }

    SqlNode nextBucket() {
        return tree.name(NEXT, BUCKET);
    }

    SqlNode nextValue(int place) {
        return tree.name(NEXT, value(place));
    }

    SqlNode presentBucket(int place) {
        return tree.name(present(place), BUCKET);
    }

    SqlNode presentValue(int place) {
        return tree.name(present(place), value(place));
    }

    /// The bucket's own value, NULL where it has no group.
    SqlNode own(int place) {
        return tree.choice(isThere(), previousValue(place), null);
    }
}
