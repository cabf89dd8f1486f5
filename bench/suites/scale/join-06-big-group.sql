select b.code, sum(f.v3 * b.weight) as worth from fact f join big b on f.big_id = b.id group by b.code order by worth desc, b.code limit 50
