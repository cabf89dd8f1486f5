select is_mobile, phone_model, count(distinct user_id) as users
from log
where phone_model is not null
group by is_mobile, phone_model
order by users desc, is_mobile, phone_model limit 10
