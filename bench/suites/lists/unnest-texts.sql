SELECT x, count(*) FROM b, unnest(s) u(x) GROUP BY x
