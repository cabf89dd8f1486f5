select id, t_many, v3 from fact order by v3, id limit 100 offset 5000
