select count(*), sum(a.v1 * b.v1) from fact a join fact b on a.n_many = b.n_many where a.v1 = 1 and b.v1 = 5 and a.n_few < 30
