select user_id, at, url from (select user_id, at, url, row_number() over (partition by user_id
order by at desc) as n
from log
where is_mobile and status = 200) as visits
where n <= 2
order by at desc, user_id limit 50
