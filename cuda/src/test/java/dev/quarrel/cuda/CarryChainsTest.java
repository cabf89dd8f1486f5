package dev.quarrel.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// No kernel reads a borrow as a carry: looked for in the committed fatbins, whose PTX is what every newer device runs
/// and what the machine code beside it was assembled from.
class CarryChainsTest {
    private static final Path FATBINS = Path.of("src/main/resources/dev/quarrel/cuda/fatbin");

    @Test
    void noFatbinReadsABorrowAsACarry() throws IOException {
        List<Path> fatbins;
        try (Stream<Path> files = Files.list(FATBINS)) {
            fatbins = files.filter(file -> file.toString().endsWith(".fatbin"))
                    .sorted()
                    .toList();
        }
        assertThat(fatbins).isNotEmpty();
        for (Path fatbin : fatbins) {
            Map<String, String> texts = FatbinPtx.of(fatbin);
            assertThat(texts).as(fatbin.toString()).containsOnlyKeys("compute_75", "compute_120");
            texts.forEach((target, ptx) -> {
                assertThat(ptx).as("%s for %s", fatbin, target).contains(".visible .entry");
                assertThat(CarryChains.broken(ptx))
                        .as("%s for %s", fatbin, target)
                        .isEmpty();
            });
        }
        // Where nothing carries, nothing was looked at.
        assertThat(FatbinPtx.of(FATBINS.resolve("vm.fatbin")).values()).allMatch(ptx -> ptx.contains("addc.u32"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ .reg .u32 rest; add.cc.u32 rest, %r1, %r2; addc.u32 %r3, %r3, %r3; }",
                "add.cc.u32 %r1, %r2, %r3;\naddc.cc.u32 %r4, %r5, %r6;\naddc.u32 %r7, %r8, %r9;",
                "sub.cc.u64 %rd1, %rd2, %rd3;\nmov.b64 %rd9, 1;\nsubc.u64 %rd4, %rd5, %rd6;",
                "sub.cc.u32 %r1, %r2, %r3; mad.lo.cc.u32 %r1, %r2, %r3, %r4; madc.hi.u32 %r5, %r2, %r3, 0;",
                "add.cc.u32 %r1, %r2, %r3; @%p1 addc.cc.u32 %r1, %r2, %r3; addc.u32 %r5, %r2, %r3;",
                "sub.u32 %r1, %r2, %r3; // sub.cc.u32\naddc_quarrel: add.u32 %r1, %r2, %r3;"
            })
    void aCarryReadAsItWasLeftIsRight(String ptx) {
        assertThat(CarryChains.broken(ptx)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ .reg .u32 rest; sub.cc.u32 rest, %r2, %r1; addc.u32 %r3, %r3, %r3; }",
                "add.cc.u32 %r1, %r2, %r3;\nsubc.u32 %r4, %r5, %r6;",
                "sub.cc.u32 %r1, %r2, %r3;\nmadc.lo.u32 %r4, %r5, %r6, %r7;",
                "sub.cc.u32 %r1, %r2, %r3;\n@%p1 add.cc.u32 %r1, %r2, %r3;\naddc.u32 %r4, %r5, %r6;",
                "add.cc.u32 %r1, %r2, %r3;\n$L__BB0_1:\naddc.u32 %r4, %r5, %r6;",
                "add.cc.u32 %r1, %r2, %r3;\n@%p1 bra $L__BB0_1;\naddc.u32 %r4, %r5, %r6;",
                "addc.u32 %r4, %r5, %r6;"
            })
    void anyOtherIsFound(String ptx) {
        assertThat(CarryChains.broken(ptx)).hasSize(1);
    }
}
