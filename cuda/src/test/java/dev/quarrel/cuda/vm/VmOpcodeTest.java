package dev.quarrel.cuda.vm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quarrel.cuda.host.HostLibrary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class VmOpcodeTest {
    /// `-Dupdate=true` writes the header anew.
    @Test
    void theHeaderIsMadeOfTheOpcodes() throws IOException {
        Path header = HostLibrary.sources().resolve("opcodes.inc");
        if (Boolean.getBoolean("update")) {
            Files.writeString(header, VmOpcode.header());
        }
        assertThat(Files.readString(header)).isEqualTo(VmOpcode.header());
    }
}
