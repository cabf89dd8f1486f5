select phone_model, count(distinct user_id) as users
from log
where phone_model is not null
group by phone_model
order by users desc, phone_model limit 10
