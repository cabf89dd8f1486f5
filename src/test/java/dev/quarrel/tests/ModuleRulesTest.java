package dev.quarrel.tests;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which code may use which library and which module: a library is imported in one place, so replacing it is
/// editing one folder.
class ModuleRulesTest {
    private static final JavaClasses OURS = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.quarrel");

    @ParameterizedTest(name = "{0} is used in {1} alone")
    @CsvSource({
        "org.apache.arrow..,          dev.quarrel.core.arrow..",
        "com.google.flatbuffers..,    dev.quarrel.core.arrow..",
        "com.fasterxml.jackson..,     dev.quarrel.core.arrow..",
        "com.github.luben..,          dev.quarrel.core.arrow..",
        "net.jpountz..,               dev.quarrel.core.arrow..",
        "com.google.re2j..,           dev.quarrel.core.cpu..",
        "jdk.incubator.vector..,      dev.quarrel.core.cpu.simd..",
        "jcuda..,                     dev.quarrel.cuda.driver..",
        "org.mariadb..,               dev.quarrel.export.mysql..",
        "org.apache.calcite..,        dev.quarrel.calcite..",
        "io.netty..,                  dev.quarrel.server..",
        "com.ongres..,                dev.quarrel.[server|export.copy]..",
        "picocli..,                   dev.quarrel.cli..",
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
        "ir,     cpu",
        "table,  arrow",
        "table,  cpu",
        "device, cpu",
        "run,    cpu",
        "arrow,  cpu",
        "pg,     arrow",
        "pg,     cpu"
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
                        .and(not(name("dev.quarrel.core.cpu.expr.ConstantFolder"))))
                .check(OURS);
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
