select date_trunc('minute', seen) as minute, count(*) as requests
from log
where day = '2025-07-14' and not is_bot
group by minute
order by minute limit 10 offset 500
