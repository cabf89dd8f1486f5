select request_id, user_id, seen from log where user_id = (select max(user_id) from log) order by seen
