/// JSON files as rows: objects one after another, or in an array.
package dev.quarrel.cli.imports.json;
