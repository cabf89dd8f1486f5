select count(*), sum(f.v3), sum(b.weight) from fact f join big b on f.big_id = b.id
