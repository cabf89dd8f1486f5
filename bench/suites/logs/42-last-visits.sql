select user_id, seen, url from (select user_id, seen, url, row_number() over (partition by user_id
order by seen desc) as n
from log
where is_mobile and status = 200) as visits
where n <= 2
order by seen desc, user_id limit 50
