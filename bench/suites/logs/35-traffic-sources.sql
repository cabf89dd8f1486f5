select case when search_phrase is null and referrer is null then 'direct' when search_phrase is not null then 'search' else split_part(referrer, '/', 3) end as source, url, count(*) as views
from log
where day between '2025-07-02' and '2025-07-30' and status <> 404
group by source, url
order by views desc, source, url limit 10 offset 100
