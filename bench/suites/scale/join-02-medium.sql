select count(*), sum(f.v3), sum(m.weight) from fact f join medium m on f.medium_id = m.id
