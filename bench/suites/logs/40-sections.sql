select upper(left(split_part(url, '/', 4), 3)) as section, status, count(*)
from log
where status >= 400
group by section, status
order by section, status
