/// SQL/JSON paths: `jsonpath` values as trees, their texts, and regular expressions in them.
package dev.quarrel.core.json.path;
