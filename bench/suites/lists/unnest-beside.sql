SELECT g, sum(x) FROM b, unnest(a) u(x) GROUP BY g
