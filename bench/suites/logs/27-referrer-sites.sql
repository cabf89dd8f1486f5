select regexp_replace(referrer, '^https?://(?:www\.)?([^/]+)/.*$', '\1') as site, avg(length(referrer)) as l, count(*) as requests, min(referrer)
from log
where referrer is not null
group by site
having count(*) > 1000
order by requests desc, site limit 25
