select t_some, n_few, power(corr(v1, v2), 2) as r2 from fact where v2 is not null group by t_some, n_few having min(v1) < max(v1) and min(v2) < max(v2) order by t_some, n_few limit 100
