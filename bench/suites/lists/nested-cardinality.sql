SELECT sum(cardinality(u.items)) FROM b, unnest(o) u
