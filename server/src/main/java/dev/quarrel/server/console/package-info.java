/// The web console of the HTTP port: who is logged in, what is answered, and its pages.
package dev.quarrel.server.console;
