select count(distinct user_id) from log
