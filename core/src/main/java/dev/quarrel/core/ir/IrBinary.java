package dev.quarrel.core.ir;

import dev.quarrel.core.type.Bytes;
import dev.quarrel.core.type.DataType;
import dev.quarrel.core.type.Interval;
import dev.quarrel.core.type.SpecialNumeric;
import dev.quarrel.core.type.SqlState;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/// The portable binary form of plans, for plan files, executors in other processes and GPU bundles. It holds no
/// address or path.
///
/// Layout: magic `QRLP`, version, a pool of strings (names of opcodes and other enums among them, so that their
/// order may change), then the plan, depth first; counts and numbers are LEB128 varints (zigzag where negative),
/// big decimals are bytes.
///
/// - Errors: `decode` refuses malformed bytes with an [IllegalArgumentException] that says where, never reads
///   past the end, never
///   allocates more than the bytes can hold, and verifies the plan ([PlanVerifier]).
public final class IrBinary {
    private static final int MAGIC = 0x51524C50;
    private static final int VERSION = 8;

    private IrBinary() {}

    public static byte[] encode(QueryPlan plan) {
        try {
            Writer body = new Writer();
            body.plan(plan);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(MAGIC);
            out.writeByte(VERSION);
            Writer head = new Writer(out);
            head.count(body.pool.size());
            for (String text : body.pool.keySet()) {
                byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
                head.count(utf8.length);
                out.write(utf8);
            }
            out.write(body.bytes());
            return bytes.toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    public static QueryPlan decode(byte[] bytes) {
        try {
            Reader reader = new Reader(bytes);
            QueryPlan plan = reader.whole();
            PlanVerifier.verify(plan);
            return plan;
        } catch (IOException endOfBytes) {
            throw new IllegalArgumentException("the plan's bytes end too early", endOfBytes);
        }
    }

    private static final class Writer {
        private final Map<String, Integer> pool = new LinkedHashMap<>();
        private final ByteArrayOutputStream buffer = new ByteArrayOutputStream();
        private final DataOutputStream out;

        Writer() {
            out = new DataOutputStream(buffer);
        }

        Writer(DataOutputStream out) {
            this.out = out;
        }

        byte[] bytes() {
            return buffer.toByteArray();
        }

        void count(long value) throws IOException {
            long rest = value;
            while ((rest & ~0x7FL) != 0) {
                out.writeByte((int) (rest & 0x7F | 0x80));
                rest >>>= 7;
            }
            out.writeByte((int) rest);
        }

        void number(long value) throws IOException {
            count(value << 1 ^ value >> 63);
        }

        void text(String text) throws IOException {
            count(pool.computeIfAbsent(text, _ -> pool.size()));
        }

        void numbers(List<Integer> values) throws IOException {
            count(values.size());
            for (int value : values) {
                number(value);
            }
        }

        void types(List<DataType> types) throws IOException {
            count(types.size());
            for (DataType type : types) {
                text(type.toString());
            }
        }

        void plan(QueryPlan plan) throws IOException {
            count(plan.slots().size());
            for (Slot slot : plan.slots()) {
                slot(slot);
            }
            count(plan.pipelines().size());
            for (Pipeline pipeline : plan.pipelines()) {
                pipeline(pipeline);
            }
        }

        void slot(Slot slot) throws IOException {
            text(slot.type().toString());
            switch (slot) {
                case Slot.Parameter(int number, DataType _) -> count(number);
                case Slot.Constant(Literal literal) -> {
                    count(0);
                    literal(literal);
                }
            }
        }

        void literal(Literal literal) throws IOException {
            out.writeBoolean(literal.isNull());
            if (literal.isNull()) {
                return;
            }
            switch (literal.type()) {
                case DataType.Bool _ -> out.writeBoolean((Boolean) literal.value());
                case DataType.Int16 _,
                        DataType.Int32 _,
                        DataType.Int64 _,
                        DataType.Date _,
                        DataType.Time _,
                        DataType.Timestamp _ -> number((Long) literal.value());
                case DataType.Float32 _ -> out.writeInt(Float.floatToRawIntBits((Float) literal.value()));
                case DataType.Float64 _ -> out.writeLong(Double.doubleToRawLongBits((Double) literal.value()));
                case DataType.Numeric _
                when literal.value() instanceof SpecialNumeric special -> {
                    // No number is without digits.
                    count(special.ordinal());
                    count(0);
                }
                case DataType.Decimal _, DataType.Numeric _ -> {
                    BigDecimal value = (BigDecimal) literal.value();
                    byte[] unscaled = value.unscaledValue().toByteArray();
                    count(value.scale());
                    count(unscaled.length);
                    out.write(unscaled);
                }
                case DataType.Uuid _ -> {
                    UUID uuid = (UUID) literal.value();
                    out.writeLong(uuid.getMostSignificantBits());
                    out.writeLong(uuid.getLeastSignificantBits());
                }
                case DataType.Interval _ -> {
                    Interval value = (Interval) literal.value();
                    number(value.months());
                    number(value.days());
                    number(value.micros());
                }
                case DataType.Utf8 _ -> text((String) literal.value());
                case DataType.Binary _ -> {
                    byte[] bytes = ((Bytes) literal.value()).toArray();
                    count(bytes.length);
                    out.write(bytes);
                }
            }
        }

        void pipeline(Pipeline pipeline) throws IOException {
            count(pipeline.id());
            source(pipeline.source());
            count(pipeline.joins().size());
            for (int index = 0; index < pipeline.programs().size(); index++) {
                if (index > 0) {
                    join(pipeline.joins().get(index - 1));
                }
                program(pipeline.programs().get(index));
            }
            sink(pipeline.sink());
            count(pipeline.filters().size());
            for (RuntimeFilter filter : pipeline.filters()) {
                count(filter.column());
                count(filter.build());
                count(filter.buildColumn());
            }
        }

        void source(Source source) throws IOException {
            switch (source) {
                case Source.TableScan scan -> {
                    text("scan");
                    text(scan.schemaName());
                    text(scan.tableName());
                    types(scan.types());
                    for (String column : scan.columnNames()) {
                        text(column);
                    }
                    count(scan.ranges().size());
                    for (ColumnRange range : scan.ranges()) {
                        numbers(List.of(range.column(), range.low(), range.high()));
                    }
                }
                case Source.Rows(int pipeline, List<DataType> types) -> {
                    text("rows");
                    count(pipeline);
                    types(types);
                }
                case Source.Union(List<Integer> pipelines, List<DataType> types) -> {
                    text("union");
                    numbers(pipelines);
                    types(types);
                }
                case Source.Values(int rowCount, List<DataType> types, List<Integer> slots) -> {
                    text("values");
                    count(rowCount);
                    types(types);
                    numbers(slots);
                }
            }
        }

        void join(Join join) throws IOException {
            text(join.kind().name());
            count(join.build());
            numbers(join.keys());
            numbers(join.carried());
            numbers(join.payload());
            out.writeBoolean(join.residual() != null);
            if (join.residual() != null) {
                numbers(join.residual().carried());
                numbers(join.residual().payload());
                program(join.residual().program());
            }
            out.writeBoolean(join.nearest() != null);
            if (join.nearest() != null) {
                count(join.nearest().probe());
                count(join.nearest().payload());
                text(join.nearest().relation().name());
            }
            out.writeBoolean(join.range() != null);
            if (join.range() != null) {
                count(join.range().payload());
                numbers(join.range().carried());
                program(join.range().program());
                bound(join.range().lower());
                bound(join.range().upper());
                out.writeBoolean(join.range().prevailing());
            }
        }

        /// @param bound or null
        private void bound(Join.Range.Bound bound) throws IOException {
            out.writeBoolean(bound != null);
            if (bound != null) {
                text(bound.relation().name());
                out.writeLong(bound.shift());
            }
        }

        void program(Program program) throws IOException {
            types(program.inputs());
            count(program.registers().size());
            for (RegisterType register : program.registers()) {
                text(register.toString());
            }
            count(program.code().size());
            for (Instruction instruction : program.code()) {
                text(instruction.op().name());
                number(instruction.result());
                numbers(instruction.arguments());
                number(instruction.mask());
                number(instruction.immediate());
                if (instruction.op() == Opcode.CALL) {
                    callee(instruction.callee());
                }
            }
            number(program.selection());
            numbers(program.outputs());
        }

        private void callee(Callee callee) throws IOException {
            if (!callee.isPortable()) {
                throw new IllegalArgumentException("the function " + callee.name()
                        + " lives in this process alone: a plan that calls it has no portable form");
            }
            text(callee.id());
            text(callee.name());
            types(callee.arguments());
            text(callee.result().toString());
            out.writeBoolean(callee.isStrict());
            List<String> fails =
                    callee.fails().stream().map(SqlState::name).sorted().toList();
            count(fails.size());
            for (String state : fails) {
                text(state);
            }
        }

        void sink(Sink sink) throws IOException {
            switch (sink) {
                case Sink.Result(List<String> names, Sink.Bound offset, Sink.Bound limit) -> {
                    text("result");
                    count(names.size());
                    for (String name : names) {
                        text(name);
                    }
                    bound(offset);
                    bound(limit);
                }
                case Sink.HashBuild(List<Integer> keys, List<Integer> payload, boolean nullKeys) -> {
                    text("hash build");
                    numbers(keys);
                    numbers(payload);
                    out.writeBoolean(nullKeys);
                }
                case Sink.Aggregate(List<Integer> keys, List<AggregateCall> calls, List<Sink.GroupingSet> sets) -> {
                    text("aggregate");
                    numbers(keys);
                    count(calls.size());
                    for (AggregateCall call : calls) {
                        aggregateCall(call);
                    }
                    count(sets.size());
                    for (Sink.GroupingSet set : sets) {
                        numbers(set.keys());
                        numbers(set.numbers());
                    }
                }
                case Sink.Sort(List<SortKey> keys, Sink.Bound offset, Sink.Bound limit) -> {
                    text("sort");
                    count(keys.size());
                    for (SortKey key : keys) {
                        number(key.output());
                        out.writeBoolean(key.descending());
                        out.writeBoolean(key.nullsFirst());
                    }
                    bound(offset);
                    bound(limit);
                }
                case Sink.Collect _ -> text("collect");
                case Sink.Feed _ -> text("feed");
                case Sink.Last(Sink.Bound rows) -> {
                    text("last");
                    bound(rows);
                }
                case Sink.Window(
                        List<Integer> partition,
                        List<SortKey> order,
                        List<WindowCall> calls,
                        Sink.Window.First first) -> {
                    text(first.isAll() ? "window" : "window of first rows");
                    numbers(partition);
                    count(order.size());
                    for (SortKey key : order) {
                        number(key.output());
                        out.writeBoolean(key.descending());
                        out.writeBoolean(key.nullsFirst());
                    }
                    count(calls.size());
                    for (WindowCall call : calls) {
                        windowCall(call);
                    }
                    if (!first.isAll()) {
                        out.writeLong(first.rows());
                        text(first.ties().name());
                    }
                }
            }
        }

        private void windowCall(WindowCall call) throws IOException {
            switch (call) {
                case WindowCall.Position(WindowCall.PositionKind kind) -> {
                    text("position");
                    text(kind.name());
                }
                case WindowCall.Ntile(int buckets) -> {
                    text("ntile");
                    number(buckets);
                }
                case WindowCall.Shift(int argument, int distance, int fallback, boolean forward) -> {
                    text("shift");
                    number(argument);
                    number(distance);
                    number(fallback);
                    out.writeBoolean(forward);
                }
                case WindowCall.Pick(WindowCall.PickKind kind, int argument, int place, WindowFrame frame) -> {
                    text("pick");
                    text(kind.name());
                    number(argument);
                    number(place);
                    frame(frame);
                }
                case WindowCall.Aggregate(AggregateCall aggregate, WindowFrame frame) -> {
                    text("aggregate");
                    aggregateCall(aggregate);
                    frame(frame);
                }
            }
        }

        private void aggregateCall(AggregateCall call) throws IOException {
            if (call.local() != null) {
                throw new IllegalArgumentException(
                        "the aggregate " + call.local().name()
                                + " lives in this process alone: a plan that calls it has no portable form");
            }
            text(call.kind().name());
            numbers(call.arguments());
            number(call.filter());
            sortKeys(call.order());
        }

        private void sortKeys(List<SortKey> keys) throws IOException {
            count(keys.size());
            for (SortKey key : keys) {
                number(key.output());
                out.writeBoolean(key.descending());
                out.writeBoolean(key.nullsFirst());
            }
        }

        private void frame(WindowFrame frame) throws IOException {
            text(frame.mode().name());
            for (WindowFrame.Edge edge : List.of(frame.start(), frame.end())) {
                text(edge.kind().name());
                number(edge.offset());
                number(edge.value());
            }
            text(frame.exclusion().name());
        }

        void bound(Sink.Bound bound) throws IOException {
            number(bound.slot());
            number(bound.rows());
        }
    }

    private static final class Reader {
        private final DataInputStream in;
        private List<String> pool = List.of();

        Reader(byte[] bytes) {
            in = new DataInputStream(new ByteArrayInputStream(bytes));
        }

        private interface Part<T> {
            T read() throws IOException;
        }

        QueryPlan whole() throws IOException {
            if (in.readInt() != MAGIC) {
                throw new IllegalArgumentException("these bytes are no plan: they do not start with QRLP");
            }
            int version = in.readUnsignedByte();
            if (version != VERSION) {
                throw new IllegalArgumentException("a plan of version " + version + "; this program reads " + VERSION);
            }
            pool = list(() -> new String(bytes(), StandardCharsets.UTF_8));
            List<Slot> slots = list(this::slot);
            List<Pipeline> pipelines = list(this::pipeline);
            if (in.available() > 0) {
                throw new IllegalArgumentException(in.available() + " bytes follow the plan");
            }
            return new QueryPlan(slots, pipelines);
        }

        /// Every element takes a byte or more, so a count beyond the bytes left is a lie.
        private <T> List<T> list(Part<T> part) throws IOException {
            int count = size();
            List<T> values = new ArrayList<>(count);
            for (int index = 0; index < count; index++) {
                values.add(part.read());
            }
            return values;
        }

        private int size() throws IOException {
            long count = count();
            if (count < 0 || count > in.available()) {
                throw new IllegalArgumentException("a count of " + count + " with " + in.available() + " bytes left");
            }
            return (int) count;
        }

        private byte[] bytes() throws IOException {
            byte[] bytes = new byte[size()];
            in.readFully(bytes);
            return bytes;
        }

        private long count() throws IOException {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                int next = in.readUnsignedByte();
                value |= (next & 0x7FL) << shift;
                if (next < 0x80) {
                    return value;
                }
            }
            throw new IllegalArgumentException("a number of more than 64 bits");
        }

        private long longNumber() throws IOException {
            long value = count();
            return value >>> 1 ^ -(value & 1);
        }

        private int number() throws IOException {
            return exact(longNumber());
        }

        private int smallCount() throws IOException {
            return exact(count());
        }

        private static int exact(long value) {
            if (value != (int) value) {
                throw new IllegalArgumentException("the number " + value + " is out of range");
            }
            return (int) value;
        }

        private String text() throws IOException {
            int index = smallCount();
            if (index < 0 || index >= pool.size()) {
                throw new IllegalArgumentException("no string " + index);
            }
            return pool.get(index);
        }

        private <E> E named(Function<String, E> valueOf) throws IOException {
            return valueOf.apply(text());
        }

        private DataType type() throws IOException {
            return named(DataType::parse);
        }

        private List<DataType> types() throws IOException {
            return list(this::type);
        }

        private List<Integer> numbers() throws IOException {
            return list(this::number);
        }

        private Slot slot() throws IOException {
            DataType type = type();
            int parameter = smallCount();
            return parameter > 0 ? new Slot.Parameter(parameter, type) : new Slot.Constant(literal(type));
        }

        private Literal literal(DataType type) throws IOException {
            if (in.readBoolean()) {
                return Literal.ofNull(type);
            }
            return new Literal(
                    type,
                    switch (type) {
                        case DataType.Bool _ -> (Object) in.readBoolean();
                        case DataType.Int16 _,
                                DataType.Int32 _,
                                DataType.Int64 _,
                                DataType.Date _,
                                DataType.Time _,
                                DataType.Timestamp _ -> longNumber();
                        case DataType.Interval _ -> new Interval(number(), number(), longNumber());
                        case DataType.Float32 _ -> Float.intBitsToFloat(in.readInt());
                        case DataType.Float64 _ -> Double.longBitsToDouble(in.readLong());
                        case DataType.Decimal _, DataType.Numeric _ -> decimal(type);
                        case DataType.Uuid _ -> new UUID(in.readLong(), in.readLong());
                        case DataType.Utf8 _ -> text();
                        case DataType.Binary _ -> Bytes.of(bytes());
                    });
        }

        private Object decimal(DataType type) throws IOException {
            int scale = smallCount();
            byte[] unscaled = bytes();
            if (unscaled.length == 0) {
                SpecialNumeric[] specials = SpecialNumeric.values();
                if (type instanceof DataType.Numeric && scale < specials.length) {
                    return specials[scale];
                }
                throw new IllegalArgumentException("a decimal without digits");
            }
            return new BigDecimal(new BigInteger(unscaled), scale);
        }

        private Pipeline pipeline() throws IOException {
            int id = smallCount();
            Source source = source();
            int joinCount = size();
            List<Join> joins = new ArrayList<>(joinCount);
            List<Program> programs = new ArrayList<>(joinCount + 1);
            programs.add(program());
            for (int index = 0; index < joinCount; index++) {
                joins.add(new Join(
                        named(JoinKind::valueOf),
                        smallCount(),
                        numbers(),
                        numbers(),
                        numbers(),
                        residual(),
                        nearest(),
                        joinRange()));
                programs.add(program());
            }
            return new Pipeline(
                    id,
                    source,
                    programs,
                    joins,
                    sink(),
                    list(() -> new RuntimeFilter(smallCount(), smallCount(), smallCount())));
        }

        private Join.Residual residual() throws IOException {
            return in.readBoolean() ? new Join.Residual(numbers(), numbers(), program()) : null;
        }

        private Join.Nearest nearest() throws IOException {
            return in.readBoolean() ? new Join.Nearest(smallCount(), smallCount(), named(Relation::valueOf)) : null;
        }

        private Join.Range joinRange() throws IOException {
            return in.readBoolean()
                    ? new Join.Range(smallCount(), numbers(), program(), rangeBound(), rangeBound(), in.readBoolean())
                    : null;
        }

        private Join.Range.Bound rangeBound() throws IOException {
            return in.readBoolean() ? new Join.Range.Bound(named(Relation::valueOf), in.readLong()) : null;
        }

        private Source source() throws IOException {
            String kind = text();
            return switch (kind) {
                case "scan" -> {
                    String schemaName = text();
                    String tableName = text();
                    List<DataType> types = types();
                    List<String> names = new ArrayList<>();
                    for (int column = 0; column < types.size(); column++) {
                        names.add(text());
                    }
                    yield new Source.TableScan(schemaName, tableName, names, types, list(this::range));
                }
                case "rows" -> new Source.Rows(smallCount(), types());
                case "union" -> new Source.Union(numbers(), types());
                case "values" -> new Source.Values(smallCount(), types(), numbers());
                default -> throw new IllegalArgumentException("no source is called " + kind);
            };
        }

        private ColumnRange range() throws IOException {
            List<Integer> parts = numbers();
            if (parts.size() != 3) {
                throw new IllegalArgumentException("a range of " + parts.size() + " numbers");
            }
            return new ColumnRange(parts.get(0), parts.get(1), parts.get(2));
        }

        private Program program() throws IOException {
            List<DataType> inputs = types();
            List<RegisterType> registers = list(() -> named(Reader::registerType));
            List<Instruction> code = list(this::instruction);
            return new Program(inputs, registers, code, number(), numbers());
        }

        private Instruction instruction() throws IOException {
            Opcode op = named(Opcode::valueOf);
            return new Instruction(op, number(), numbers(), number(), number(), op == Opcode.CALL ? callee() : null);
        }

        private Callee callee() throws IOException {
            return new Callee(
                    text(),
                    text(),
                    types(),
                    named(DataType::parse),
                    in.readBoolean(),
                    Set.copyOf(list(() -> named(SqlState::valueOf))),
                    null);
        }

        private static RegisterType registerType(String text) {
            return text.equals("mask") ? RegisterType.MASK : new RegisterType.Value(DataType.parse(text));
        }

        private Sink sink() throws IOException {
            String kind = text();
            return switch (kind) {
                case "result" -> new Sink.Result(list(this::text), bound(), bound());
                case "hash build" -> new Sink.HashBuild(numbers(), numbers(), in.readBoolean());
                case "aggregate" ->
                    new Sink.Aggregate(
                            numbers(),
                            list(this::aggregateCall),
                            list(() -> new Sink.GroupingSet(numbers(), numbers())));
                case "sort" -> new Sink.Sort(list(this::sortKey), bound(), bound());
                case "collect" -> new Sink.Collect();
                case "feed" -> new Sink.Feed();
                case "last" -> new Sink.Last(bound());
                case "window" -> new Sink.Window(numbers(), list(this::sortKey), list(this::windowCall));
                case "window of first rows" ->
                    new Sink.Window(
                            numbers(),
                            list(this::sortKey),
                            list(this::windowCall),
                            new Sink.Window.First(in.readLong(), named(Sink.Window.Ties::valueOf)));
                default -> throw new IllegalArgumentException("no sink is called " + kind);
            };
        }

        private WindowCall windowCall() throws IOException {
            String kind = text();
            return switch (kind) {
                case "position" -> new WindowCall.Position(named(WindowCall.PositionKind::valueOf));
                case "ntile" -> new WindowCall.Ntile(number());
                case "shift" -> new WindowCall.Shift(number(), number(), number(), in.readBoolean());
                case "pick" -> new WindowCall.Pick(named(WindowCall.PickKind::valueOf), number(), number(), frame());
                case "aggregate" -> new WindowCall.Aggregate(aggregateCall(), frame());
                default -> throw new IllegalArgumentException("no window function is called " + kind);
            };
        }

        private AggregateCall aggregateCall() throws IOException {
            return new AggregateCall(named(AggregateKind::valueOf), numbers(), number(), list(this::sortKey));
        }

        private SortKey sortKey() throws IOException {
            return new SortKey(number(), in.readBoolean(), in.readBoolean());
        }

        private WindowFrame frame() throws IOException {
            return new WindowFrame(
                    named(WindowFrame.Mode::valueOf), edge(), edge(), named(WindowFrame.Exclusion::valueOf));
        }

        private WindowFrame.Edge edge() throws IOException {
            return new WindowFrame.Edge(named(WindowFrame.EdgeKind::valueOf), number(), number());
        }

        private Sink.Bound bound() throws IOException {
            return new Sink.Bound(number(), longNumber());
        }
    }
}
