select t_many, max(v1) - min(v2) as range from fact group by t_many order by range desc nulls last, t_many limit 100
