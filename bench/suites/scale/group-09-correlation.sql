select t_some, n_few, power(corr(v1, v2), 2) as r2 from fact where v2 is not null group by t_some, n_few order by t_some, n_few limit 100
