select url, count(*) as views
from log
where site_id between 10 and 400 and day between '2025-07-05' and '2025-07-25' and flag_00 = 0 and status = 200 and not is_bot
group by url
order by views desc, url limit 10
