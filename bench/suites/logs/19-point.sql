select request_id, user_id, at from log where user_id = (select max(user_id) from log) order by at
