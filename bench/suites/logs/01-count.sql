select count(*) from log
