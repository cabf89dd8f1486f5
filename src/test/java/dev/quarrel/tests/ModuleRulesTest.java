package dev.quarrel.tests;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which code may use which library and which module: a library is imported in one place, so replacing it is
/// editing one folder.
class ModuleRulesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.quarrel");

    private static final SliceAssignment PACKAGES = new SliceAssignment() {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName().replace(".parse.generated", ".parse"));
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    };

    @ParameterizedTest(name = "{0} is used in {1} alone")
    @CsvSource({
        "org.apache.arrow..,          dev.quarrel.core.arrow..",
        "com.google.flatbuffers..,    dev.quarrel.core.arrow..",
        "com.fasterxml.jackson..,     dev.quarrel.[core.arrow|cli.imports.json]..",
        "com.github.luben..,          dev.quarrel.core.arrow..",
        "com.ibm.icu..,               dev.quarrel.core.collate..",
        "net.jpountz..,               dev.quarrel.core.arrow..",
        "jdk.incubator.vector..,      dev.quarrel.core.cpu.simd..",
        "jcuda..,                     dev.quarrel.cuda.driver..",
        "org.mariadb..,               dev.quarrel.export.source..",
        "org.apache.calcite..,        dev.quarrel.calcite..",
        "io.netty..,                  dev.quarrel.[server|ingest.net]..",
        "com.ongres..,                dev.quarrel.[server|export.copy]..",
        "org.tomlj..,                 dev.quarrel.server.config..",
        "io.prometheus..,             dev.quarrel.server.metrics..",
        "picocli..,                   dev.quarrel.cli..",
        "dev.hardwood..,              dev.quarrel.cli.imports..",
        "io.zonky..,                  dev.quarrel.cli..",
        "org.openjdk.jmh..,           dev.quarrel.bench.."
    })
    void aLibraryHasOnePlace(String library, String place) {
        noClasses()
                .that()
                .resideOutsideOfPackage(place)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .allowEmptyShould(true)
                .check(OURS);
    }

    @ParameterizedTest(name = "{0} never sees {1}")
    @CsvSource({
        "dev.quarrel.core..,    dev.quarrel.calcite..",
        "dev.quarrel.core..,    dev.quarrel.server..",
        "dev.quarrel.core..,    dev.quarrel.export..",
        "dev.quarrel.core..,    dev.quarrel.cuda..",
        "dev.quarrel.core..,    java.sql..",
        "dev.quarrel.calcite.., dev.quarrel.server..",
        "dev.quarrel.calcite.., dev.quarrel.cuda..",
        "dev.quarrel.server..,  dev.quarrel.core.cpu..",
        "dev.quarrel.server..,  dev.quarrel.export..",
        "dev.quarrel.server..,  dev.quarrel.ingest..",
        "dev.quarrel.ingest..,  dev.quarrel.calcite..",
        "dev.quarrel.ingest..,  dev.quarrel.server..",
        "dev.quarrel.ingest..,  dev.quarrel.core.cpu..",
        "dev.quarrel.samples.., java.sql..",
        "dev.quarrel.export..,  dev.quarrel.calcite..",
        "dev.quarrel.cuda..,    dev.quarrel.calcite.."
    })
    void aModuleStaysInItsPlace(String module, String forbidden) {
        noClasses()
                .that()
                .resideInAPackage(module)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(forbidden)
                .allowEmptyShould(true)
                .check(OURS);
    }

    /// Layers of core: data, then the program, then what runs it.
    @ParameterizedTest(name = "core.{0} never sees core.{1}")
    @CsvSource({
        "type,   column",
        "column, ir",
        "column, arrow",
        "ir,     device",
        "ir,     function",
        "function, cpu",
        "ir,     cpu",
        "table,  arrow",
        "table,  cpu",
        "device, cpu",
        "budget, ir",
        "budget, run",
        "run,    cpu",
        "run,    verify",
        "verify, cpu",
        "arrow,  cpu",
        "pg,     arrow",
        "pg,     cpu",
        "collate, regex",
        "regex,  json",
        "regex,  pg",
        "regex,  cpu",
        "json,   cpu",
        "pg,     format",
        "format, cpu"
    })
    void coreIsLayered(String lower, String upper) {
        noClasses()
                .that()
                .resideInAPackage("dev.quarrel.core." + lower + "..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.quarrel.core." + upper + "..")
                .allowEmptyShould(true)
                .check(OURS);
    }

    /// The planner folds constants by our own interpreter, and sees nothing else of a device.
    @Test
    void thePlannerSeesNoDevice() {
        noClasses()
                .that()
                .resideInAPackage("dev.quarrel.calcite..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.quarrel.core.cpu..")
                        .and(not(name("dev.quarrel.core.cpu.expr.ConstantFolder")))
                        .and(not(name("dev.quarrel.core.cpu.function.Kernels")))
                        .and(not(name("dev.quarrel.core.cpu.function.RowsFunction")))
                        .and(not(nameMatching("dev\\.quarrel\\.core\\.cpu\\.scan\\.TableSample.*"))))
                .check(OURS);
    }

    /// The rooms of the CPU device, from the ground up: which of them a room sees. The root sees all.
    @ParameterizedTest(name = "core.cpu.{0} sees {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "number  | -",
                "simd    | -",
                "tile    | number simd",
                "text    | number simd tile",
                "rows    | number simd tile",
                "elements | number simd tile text",
                "function | number simd tile text elements",
                "expr    | number simd tile text function",
                "sink    | number simd tile rows",
                "group   | number simd tile text function rows expr sink",
                "join    | number simd tile text function rows expr sink group",
                "scan    | number simd tile text function rows expr sink group join",
                "sort    | number simd tile text function rows expr sink group join scan",
                "window  | number simd tile text function rows expr sink group join scan sort",
                "loop    | number simd tile text function rows expr sink group join scan",
                "encoded | number simd tile text function rows expr sink group join scan loop"
            })
    void aRoomSeesWhatIsBelowIt(String room, String below) {
        checkRoom("dev.quarrel.core.cpu", room, below);
    }

    private static void checkRoom(String root, String room, String below) {
        String[] seen = Stream.of((room + " " + below.replace("-", "")).trim().split(" +"))
                .map(name -> root + "." + name)
                .toArray(String[]::new);
        noClasses()
                .that()
                .resideInAPackage(root + "." + room)
                .should()
                .dependOnClassesThat(resideInAPackage(root + "..").and(not(resideInAnyPackage(seen))))
                .check(OURS);
    }

    @Test
    void theRoomsAreOfTheCpuDeviceAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackages("dev.quarrel.core.cpu..", "dev.quarrel.calcite..", "dev.quarrel.bench..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.quarrel.core.cpu..")
                        .and(not(name("dev.quarrel.core.cpu.CpuDevice")))
                        .and(not(name("dev.quarrel.core.cpu.expr.DictionaryAnswers")))
                        .and(not(name("dev.quarrel.core.cpu.text.LikeMatcher")))
                        .and(not(resideInAPackage("dev.quarrel.core.cpu.encoded")
                                .and(nameMatching(".*\\.Narrowing(\\$.*)?")))))
                .check(OURS);
    }

    /// The rooms of the CUDA device likewise.
    @ParameterizedTest(name = "cuda.{0} sees {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "vm      | -",
                "driver  | -",
                "encode  | vm",
                "backend | vm",
                "gpu     | vm backend driver",
                "column  | vm encode backend",
                "facts   | vm encode backend column",
                "service | vm encode backend column facts",
                "program | vm encode backend column facts",
                "rows    | vm encode backend column facts service program",
                "sort    | vm encode backend column facts service program rows",
                "join    | vm encode backend column facts service program",
                "group   | vm encode backend column facts service program join"
            })
    void aRoomOfCudaSeesWhatIsBelowIt(String room, String below) {
        checkRoom("dev.quarrel.cuda", room, below);
    }

    /// The rooms of the analyser of SQL likewise. The root sees all.
    @ParameterizedTest(name = "calcite.sql.{0} sees {1}")
    @CsvSource(
            delimiter = '|',
            value = {"type     | -", "function | type", "convert  | type function"})
    void aRoomOfTheAnalyserSeesWhatIsBelowIt(String room, String below) {
        checkRoom("dev.quarrel.calcite.sql", room, below);
    }

    @Test
    void conversionsAreOfTheAnalyserAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.quarrel.calcite.sql..")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.quarrel.calcite.sql.convert")
                        .and(not(name("dev.quarrel.calcite.sql.convert.ObjectIds"))))
                .check(OURS);
    }

    /// The kernels' build for the CPU is for tests and for the GPU suite: no device that is found by itself has it.
    @Test
    void theCudaDeviceIsItsOwn() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.quarrel.cuda.host")
                .and()
                .resideOutsideOfPackage("dev.quarrel.bench")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.quarrel.cuda.host")
                .check(OURS);
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.quarrel.cuda..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("dev.quarrel.cuda..").and(not(resideInAPackage("dev.quarrel.cuda.host"))))
                .check(OURS);
    }

    @Test
    void packagesHaveNoCircles() {
        // The generated parser and what it makes call each other; it is one package in two folders.
        slices().assignedFrom(PACKAGES).should().beFreeOfCycles().check(OURS);
    }

    /// A package that a newcomer can still look over.
    @Test
    void aPackageHasSixtyFilesAtMost() {
        Map<String, Set<String>> files = new TreeMap<>();
        for (JavaClass type : OURS) {
            if (!type.getPackageName().endsWith(".generated")) {
                files.computeIfAbsent(type.getPackageName(), _ -> new TreeSet<>())
                        .add(type.getName().replaceFirst("\\$.*", ""));
            }
        }
        assertThat(files)
                .isNotEmpty()
                .allSatisfy((name, classes) -> assertThat(classes).as(name).hasSizeLessThanOrEqualTo(60));
    }

    @Test
    void nobodyPrintsFromALibrary() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "dev.quarrel.cli..",
                        "dev.quarrel.bench..",
                        "dev.quarrel.export.maven..",
                        "dev.quarrel.calcite.parse.generated..")
                .and()
                .doNotHaveFullyQualifiedName("dev.quarrel.export.ExportMain")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(OURS);
    }
}
