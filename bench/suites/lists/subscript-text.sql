SELECT s[1], count(*) FROM b GROUP BY s[1]
