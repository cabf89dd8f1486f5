package dev.quarrel.cuda.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.quarrel.cuda.backend.CommandQueue;
import dev.quarrel.cuda.backend.DeviceMemory;
import dev.quarrel.cuda.backend.Kernel;
import dev.quarrel.cuda.encode.TableUse;
import dev.quarrel.cuda.host.HostBackend;
import dev.quarrel.cuda.host.HostLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/// What the verifier lets through stays within its memory; what it refuses, it names.
public class VmVerifierTest {
    private static final long SEED = Long.getLong("quarrel.seed", 20261121L);
    private static final int ROUNDS = Integer.getInteger("quarrel.rounds", 3000);
    private static final VmInstruction END = new VmInstruction(VmOpcode.END, 0, 0, 0, 0, 0);
    private static final List<Physical> COLUMNS = List.of(
            Physical.BITS,
            Physical.U8,
            Physical.U16,
            Physical.I16,
            Physical.I32,
            Physical.I64,
            Physical.TEXT,
            Physical.I24);
    private static final List<TableKind> TABLES = List.of(TableKind.values());
    private static final int ROWS = 700;
    private static final int ENTRIES = 64;
    private static final int GROUPS = 5;

    private static VmProgram program(VmInstruction... code) {
        List<VmInstruction> all = new ArrayList<>(List.of(code));
        all.add(END);
        return new VmProgram(
                4, all, List.of(1L, 7L), 2, 3, 2, 2, false, 0, List.of(Physical.I32), List.of(TableKind.BITS));
    }

    private static VmInstruction of(VmOpcode op, int flags, int k, int a, int b, int c) {
        return new VmInstruction(op, flags, k, a, b, c);
    }

    @Test
    void refusesNumbersOfWhatIsNotThere() {
        assertThatCode(() -> VmVerifier.verify(program(of(VmOpcode.LOAD_I32, 0, 0, 0, 0, 0))))
                .doesNotThrowAnyException();
        refuses("no column 1", of(VmOpcode.LOAD_I32, 0, 1, 0, 0, 0));
        refuses("a column of I32", of(VmOpcode.LOAD_U8, 0, 0, 0, 0, 0));
        refuses("no slot 2", of(VmOpcode.VALUE_STORE, 0, 0, 0, 2, 0));
        refuses("no constant 2", of(VmOpcode.ADD, VmInstruction.IMMEDIATE, 0, 0, 2, 0));
        refuses("no slot -1", of(VmOpcode.ADD, 0, 0, 0, -1, 0));
        refuses("no mask slot 3", of(VmOpcode.MASK_LOAD, 0, 3, 0, 0, 0));
        refuses("no pair of mask slots 2", of(VmOpcode.BOOL_LOAD, 0, 2, 0, 0, 0));
        refuses("no mask slot 9", of(VmOpcode.ADD, VmInstruction.MASKED, 0, 0, 0, 9));
        refuses("a table of BITS", of(VmOpcode.PROBE_DENSE, 0, 0, 0, 0, 0));
        refuses("no table 1", of(VmOpcode.TEST_BITS, 0, 1, 0, 0, 0));
        refuses("no word 2", of(VmOpcode.OWN_SUM, 0, 0, 2, 0, 0));
        refuses("no pair of words 1", of(VmOpcode.OWN_COUNT_TRUTH, 0, 0, 1, 0, 0));
        refuses("TO_FLOAT over narrow lanes", of(VmOpcode.TO_FLOAT, 0, 0, 0, 0, 0));
        refuses("groups' cells", of(VmOpcode.GROUP_SUM, 0, 0, 0, 0, 0));
        refuses("a range without values", of(VmOpcode.RANGE, 0, 0, 1, 0, 0));
        refuses("no constant 2", of(VmOpcode.LOAD_I32, VmInstruction.IMMEDIATE, 0, 2, 0, 0));
        refuses("a column of I32", of(VmOpcode.LOAD_RANGE_I24, 0, 0, 0, 1, 0));
        refuses("no constant 3", of(VmOpcode.LOAD_RANGE_I32, VmInstruction.IMMEDIATE, 0, 0, 1, 3));
        refuses("a constant is written", of(VmOpcode.VALUE_STORE, VmInstruction.IMMEDIATE, 0, 0, 0, 0));
    }

    private static void refuses(String problem, VmInstruction instruction) {
        assertThatThrownBy(() -> VmVerifier.verify(program(instruction)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem)
                .hasMessageContaining(instruction.op().name());
    }

    @Test
    void refusesCodeWithoutAnEnd() {
        VmProgram endless = new VmProgram(
                4,
                List.of(of(VmOpcode.BOOL_NOT, 0, 0, 0, 0, 0)),
                List.of(),
                0,
                0,
                1,
                1,
                false,
                0,
                List.of(),
                List.of());
        assertThatThrownBy(() -> VmVerifier.verify(endless)).hasMessageContaining("does not come to an end");
    }

    @Test
    void refusesConstantsWiderThanLanes() {
        VmProgram wide = new VmProgram(4, List.of(END), List.of(1L << 40), 0, 0, 1, 1, false, 0, List.of(), List.of());
        assertThatThrownBy(() -> VmVerifier.verify(wide)).hasMessageContaining("wider than a lane");
    }

    /// Random code over small columns and tables: nothing is written past a buffer (canaries say so), nothing
    /// hangs, and without groups, whose words random code fills by several rules, the order of threads makes
    /// no difference.
    @Test
    void whatIsAcceptedStaysWithinItsMemory() {
        String missing = HostLibrary.missing();
        Assumptions.assumeTrue(missing == null, missing);
        Random random = new Random(SEED);
        int accepted = 0;
        HostLibrary library = HostLibrary.open();
        for (int round = 0; round < ROUNDS; round++) {
            VmProgram program = random(random);
            try {
                VmVerifier.verify(program);
            } catch (IllegalArgumentException _) {
                continue;
            }
            accepted++;
            long data = random.nextLong();
            byte[] first = run(program, new HostBackend(library, 0), data);
            byte[] second = run(program, new HostBackend(library, SEED + round), data);
            if (!program.isGrouped()) {
                assertThat(second).as(program.text()).isEqualTo(first);
            }
        }
        assertThat(accepted).isGreaterThan(ROUNDS / 20);
    }

    private static VmProgram random(Random random) {
        int laneBytes = random.nextBoolean() ? 4 : 8;
        boolean isGrouped = random.nextBoolean();
        int words = random.nextBoolean() ? 4 : 80;
        VmOpcode[] opcodes = VmOpcode.values();
        // Values that nobody loaded would be anything.
        List<VmInstruction> code = new ArrayList<>(List.of(of(VmOpcode.VALUE_NULL, 0, 0, 0, 0, 0)));
        int length = 1 + random.nextInt(8);
        for (int index = 0; index < length; index++) {
            VmOpcode op = opcodes[random.nextInt(opcodes.length)];
            int flags = random.nextInt(256);
            int a =
                    switch (op) {
                        case FLOAT_SUM, HLL_ADD -> random.nextInt(4, 8);
                        case TEXT_EQUAL, TEXT_LESS, TEXT_LESS_EQUAL, TEXT_LIKE, TEXT_MATCH -> random.nextInt(4, 7);
                        default -> random.nextInt(4);
                    };
            code.add(new VmInstruction(op, flags, random.nextInt(8), a, random.nextInt(4), random.nextInt(4)));
        }
        code.add(END);
        return new VmProgram(
                laneBytes,
                code,
                List.of(0L, 3L, 100L, (long) Integer.MAX_VALUE),
                4,
                12,
                words,
                isGrouped ? 0 : 4,
                isGrouped,
                random.nextInt(256),
                COLUMNS,
                TABLES,
                isGrouped && random.nextBoolean()
                        ? new VmProgram.Block(GROUPS, 4, List.of(0, 1, 2, 4, 5).get(random.nextInt(5)))
                        : VmProgram.Block.NONE);
    }

    @Test
    void refusesCellsThatBlocksHaveNot() {
        VmInstruction sum = of(VmOpcode.BLOCK_WIDE_SUM, 0, 0, 1, 0, 0);
        refusesInBlock("no pair of words 1", VmProgram.Block.NONE, 8, sum);
        refusesInBlock("no pair of words 1", new VmProgram.Block(5, 2, 1), 8, sum);
        refusesInBlock("words that are no pair", new VmProgram.Block(5, 3, 1), 8, sum);
        refusesInBlock("mask slots of a split", new VmProgram.Block(5, 3, 2), 7, sum);
        refusesInBlock("pairs of words", new VmProgram.Block(5, 3, 4), 8, sum);
        refusesInBlock("pairs of words", new VmProgram.Block(5, 3, 3), 8, sum);
        refusesInBlock("words of a block", new VmProgram.Block(5, 5, 0), 8, sum);
        refusesInBlock("groups in a block", new VmProgram.Block(1 << 20, 3, 2), 8, sum);
        assertThatCode(() -> VmVerifier.verify(inBlock(new VmProgram.Block(5, 3, 2), 8, sum)))
                .doesNotThrowAnyException();
    }

    private static void refusesInBlock(String problem, VmProgram.Block block, int masks, VmInstruction instruction) {
        assertThatThrownBy(() -> VmVerifier.verify(inBlock(block, masks, instruction)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(problem);
    }

    private static VmProgram inBlock(VmProgram.Block block, int masks, VmInstruction instruction) {
        return new VmProgram(
                8, List.of(instruction, END), List.of(), 1, masks, 4, 0, true, 0, List.of(), List.of(), block);
    }

    private static byte[] run(VmProgram program, HostBackend backend, long data) {
        Random random = new Random(data);
        List<DeviceMemory> memory = new ArrayList<>();
        byte[] cells;
        try (Arena arena = Arena.ofConfined();
                CommandQueue queue = backend.newQueue()) {
            List<DeviceColumn> columns = new ArrayList<>();
            for (Physical physical : COLUMNS) {
                if (physical == Physical.TEXT) {
                    columns.add(texts(random, backend, queue, memory, arena));
                    continue;
                }
                long valid = random.nextBoolean() ? 0 : upload(random, 96, backend, queue, memory, arena);
                columns.add(new DeviceColumn(
                        physical, upload(random, physical.bytes(768), backend, queue, memory, arena), valid));
            }
            List<DeviceTable> tables = new ArrayList<>();
            for (TableKind kind : TABLES) {
                if (kind == TableKind.TEXTS) {
                    tables.add(new DeviceTable(kind, words(random, backend, queue, memory, arena), 3, 0));
                    continue;
                }
                long bytes =
                        switch (kind) {
                            case BITS -> ENTRIES / 8 + 8;
                            case DENSE -> (ENTRIES + 1) * 4;
                            case HASH -> ENTRIES * 16;
                            case ARRAY_64, GROUPS, TEXTS -> ENTRIES * 8;
                        };
                tables.add(new DeviceTable(
                        kind,
                        upload(random, bytes, backend, queue, memory, arena),
                        ENTRIES,
                        kind == TableKind.HASH ? 0 : random.nextInt(-5, 5)));
            }
            DeviceMemory words = backend.allocate((long) GROUPS * program.words() * 8);
            DeviceMemory status = backend.allocate(ParameterBlock.STATUS_BYTES);
            memory.add(words);
            memory.add(status);
            queue.fill(words, 0, words.byteSize(), (byte) 0);
            queue.fill(status, 0, status.byteSize(), (byte) 0);
            ParameterBlock block =
                    ParameterBlock.of(program, 64, backend.limits().sharedBytes());
            MemorySegment parameters = arena.allocate(ParameterBlock.BYTES, 16);
            block.write(parameters, ROWS, 0, words.address(), GROUPS, status.address(), columns, tables);
            // Slots that are read before they are written hold what was there: the same in each order of threads.
            queue.launch(Kernel.vm(program), 2, block.threads(), block.sharedBytes(), parameters);
            MemorySegment out = arena.allocate(words.byteSize(), 8);
            queue.download(words, 0, out);
            queue.synchronize();
            cells = out.toArray(ValueLayout.JAVA_BYTE);
        } finally {
            memory.forEach(DeviceMemory::close);
        }
        return cells;
    }

    /// Any bytes, cut anywhere.
    private static DeviceColumn texts(
            Random random, HostBackend backend, CommandQueue queue, List<DeviceMemory> memory, Arena arena) {
        int most = 256 * 20;
        long address = upload(random, most + Physical.TEXT_PADDING, backend, queue, memory, arena);
        MemorySegment records = arena.allocate(Physical.TEXT.bytes(768), 16);
        for (long record = 0; record < records.byteSize(); record += Physical.TEXT_RECORD) {
            records.set(ValueLayout.JAVA_LONG, record, address);
            int end = 0;
            for (long at = record + 16; at < record + Physical.TEXT_RECORD; at += 4) {
                end += random.nextInt(20);
                records.set(ValueLayout.JAVA_INT, at, end);
            }
        }
        return new DeviceColumn(Physical.TEXT, upload(records, backend, queue, memory), 0);
    }

    private static long words(
            Random random, HostBackend backend, CommandQueue queue, List<DeviceMemory> memory, Arena arena) {
        List<String> texts = new ArrayList<>();
        for (int length : new int[] {random.nextInt(3), random.nextInt(9), random.nextInt(20)}) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            texts.add(new String(bytes, StandardCharsets.ISO_8859_1));
        }
        long[] words = new TableUse.Texts(texts).words();
        MemorySegment content = arena.allocate(words.length * 8L, 8).copyFrom(MemorySegment.ofArray(words));
        return upload(content, backend, queue, memory);
    }

    private static long upload(
            Random random,
            long bytes,
            HostBackend backend,
            CommandQueue queue,
            List<DeviceMemory> memory,
            Arena arena) {
        byte[] content = new byte[(int) bytes];
        random.nextBytes(content);
        return upload(arena.allocate(bytes, 8).copyFrom(MemorySegment.ofArray(content)), backend, queue, memory);
    }

    private static long upload(
            MemorySegment content, HostBackend backend, CommandQueue queue, List<DeviceMemory> memory) {
        DeviceMemory made = backend.allocate(content.byteSize());
        memory.add(made);
        queue.upload(content, made, 0);
        return made.address();
    }
}
