SELECT sum(a[1]) FROM b
