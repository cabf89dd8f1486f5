select s.half, sum(f.v3) from fact f join medium m on f.medium_id = m.id join small s on m.id % 10 = s.id group by s.half order by s.half
