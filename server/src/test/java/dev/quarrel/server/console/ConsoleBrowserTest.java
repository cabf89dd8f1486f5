package dev.quarrel.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.quarrel.calcite.Engine;
import dev.quarrel.calcite.EngineConfig;
import dev.quarrel.calcite.engine.LocalEngine;
import dev.quarrel.server.MemoryCatalog;
import dev.quarrel.server.Server;
import dev.quarrel.server.auth.ScramVerifier;
import dev.quarrel.server.auth.Users;
import dev.quarrel.server.catalog.SystemCatalog;
import dev.quarrel.server.config.ServerConfig;
import dev.quarrel.server.config.ServerSetting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/// The console's pages in a real browser. Their pictures are in `target/console`, for people to look at.
@Tag("nightly")
final class ConsoleBrowserTest {
    private static final Path PICTURES = Path.of("target", "console");
    private static final String STATEMENT = """
            select d.name, sum(d.n) as total
            from days d join days e on e.day = d.day
            group by d.name order by d.name""";

    // A browser that is ended may still write.
    @TempDir(cleanup = CleanupMode.NEVER)
    private static Path folder;

    @Test
    void somebodyUsesIt() throws Exception {
        Path program = Browser.program();
        assumeTrue(program != null, "there is no chromium here: apt-get install chromium");
        Files.createDirectories(PICTURES);
        MemoryCatalog catalog = new MemoryCatalog()
                .with(
                        "public",
                        "days",
                        List.of("day date not null", "n integer", "name text"),
                        new String[] {"2024-01-01", "3", "<img src=x onerror=alert(1)>"},
                        new String[] {"2024-01-02", "4", "zwei"},
                        new String[] {"2024-01-03", null, null});
        Users users = Users.none().with("ann", ScramVerifier.ofPassword("Ann's"));
        try (Engine engine = LocalEngine.open(catalog, SystemCatalog.install(EngineConfig.defaults(), List.of("ann")));
                Server server = Server.start(
                        engine,
                        ServerConfig.defaults()
                                .with(ServerSetting.PORT, 0)
                                .with(ServerSetting.HTTP, "0")
                                .with(ServerSetting.CONSOLE, "on")
                                .withUsers(users));
                Browser browser = new Browser(program, folder)) {
            browser.size(1280, 800, false);
            browser.open("http://127.0.0.1:" + server.httpAddress().getPort() + "/console");
            logIn(browser);
            runs(browser);
            looksAround(browser);
            browser.size(390, 800, true);
            browser.click("[data-view=editor]");
            picture(browser, "narrow-dark");
            assertThat(browser.value("document.documentElement.scrollWidth")).isEqualTo("390");
            errorsHaveAPlace(browser);
            browser.click("#logout");
            browser.await("document.getElementById('login') !== null && !document.getElementById('login').hidden");
            // Refused requests are logged by the browser itself; policy violations and exceptions would be others.
            assertThat(browser.complaints()).isNotEmpty().allMatch(each -> each.contains("\"source\":\"network\""));
        }
    }

    private static void picture(Browser browser, String name) throws Exception {
        browser.screenshot(PICTURES.resolve(name + ".png"));
    }

    private static void logIn(Browser browser) throws Exception {
        browser.await("!document.getElementById('login').hidden");
        browser.type("#login-user", "ann");
        browser.type("#login-password", "wrong");
        browser.click("#login-form button");
        browser.await("document.getElementById('login-error').textContent.includes('authentication failed')");
        picture(browser, "login");
        browser.type("#login-password", "Ann's");
        browser.click("#login-form button");
        browser.await("!document.getElementById('app').hidden");
        assertThat(browser.value("document.cookie")).isEmpty(); // no script sees it
        assertThat(browser.value("document.getElementById('user').textContent")).isEqualTo("ann");
    }

    private static void runs(Browser browser) throws Exception {
        browser.type("#sql", STATEMENT);
        browser.press("Enter", 13, 2);
        browser.await("document.getElementById('outcome').textContent.startsWith('3 rows')");
        assertThat(browser.value("[...document.querySelectorAll('#pane-rows td')].map(x => x.textContent).join('|')"))
                .isEqualTo("<img src=x onerror=alert(1)>|3|zwei|4|null|null");
        assertThat(browser.value("document.querySelectorAll('#pane-rows img').length"))
                .isEqualTo("0");
        picture(browser, "rows");
        browser.click("#tab-chart");
        browser.await("document.querySelectorAll('#pane-chart rect.bar0').length === 2");
        picture(browser, "chart");
        browser.click("#explain");
        browser.await("document.querySelectorAll('#pane-plan .node').length >= 5");
        browser.value("document.querySelector('#pane-plan .node').focus()");
        browser.press("Enter", 13, 0);
        browser.await("document.querySelector('#pane-plan dl').textContent.includes('Device')");
        picture(browser, "plan");
    }

    private static void looksAround(Browser browser) throws Exception {
        browser.click("[data-view=queries]");
        browser.await("document.querySelectorAll('#past .link').length >= 2");
        browser.click("#past tr:last-child .link");
        browser.await("document.querySelector('#query-detail pre').textContent.includes('group by d.name')");
        picture(browser, "queries");
        browser.click("[data-view=tables]");
        browser.await("document.querySelector('#table-list .link') !== null");
        browser.click("#table-list .link");
        browser.await("document.querySelector('#table-detail').textContent.includes('date')");
        picture(browser, "tables");
        browser.click("[data-view=server]");
        browser.await("document.querySelectorAll('#gauges svg').length === 6");
        picture(browser, "server");
    }

    private static void errorsHaveAPlace(Browser browser) throws Exception {
        browser.type("#sql", "select n,\n  nix from days");
        browser.press("Enter", 13, 2);
        browser.await("!document.getElementById('error').hidden");
        assertThat(browser.value("document.getElementById('error').textContent"))
                .contains("column \"nix\" does not exist", "42703", "line 2:   nix from days", "^");
        assertThat(browser.value("document.getElementById('sql').selectionStart"))
                .isEqualTo("12");
        picture(browser, "error");
    }
}
