select * from readings order by ts desc limit 10
