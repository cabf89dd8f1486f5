select t_few, t_some, sum(v1) as v1 from fact group by t_few, t_some order by v1 desc, t_few, t_some limit 100
