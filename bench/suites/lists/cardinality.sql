SELECT sum(cardinality(a)) FROM b
