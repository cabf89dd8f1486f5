select user_id, count(*) as requests from log group by user_id order by requests desc, user_id limit 10
