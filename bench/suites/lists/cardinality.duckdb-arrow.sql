SELECT sum(len(a)) FROM b
