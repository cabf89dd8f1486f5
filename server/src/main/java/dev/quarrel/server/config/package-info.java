/// The server's settings: names, units, defaults and bounds.
package dev.quarrel.server.config;
