SELECT i.c, count(*), sum(u.k) FROM b, unnest(o) u, unnest(u.items) i GROUP BY i.c
