select count(*) as readings, avg(q.velocity) as velocity
from (select * from readings where velocity > 90) r
asof join (select * from readings where heading > 300) q
