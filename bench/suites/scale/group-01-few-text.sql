select t_few, sum(v1) as v1 from fact group by t_few order by t_few
