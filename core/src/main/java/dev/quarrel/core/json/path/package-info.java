/// SQL/JSON paths: `jsonpath` values as trees, their texts, and what they find in a jsonb.
package dev.quarrel.core.json.path;
