select avg(user_id % 1000003) from log
