SELECT count(*), sum(x) FROM b, unnest(a) u(x)
