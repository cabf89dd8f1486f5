SELECT sum(n[1]) FROM b
