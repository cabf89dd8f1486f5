select count(*), count(m.id), sum(f.v3), sum(m.weight) from fact f left join medium m on f.medium_id = m.id
