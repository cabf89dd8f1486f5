select count(*), sum(e.value)
from entry as e, (select distinct wide_10k, wide_few from entry) as k
where e.wide_10k = k.wide_10k and e.wide_few = k.wide_few
