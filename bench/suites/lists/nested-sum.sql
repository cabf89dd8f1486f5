SELECT count(*), sum(i.p) FROM b, unnest(o) u, unnest(u.items) i
