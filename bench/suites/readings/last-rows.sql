select * from readings where velocity > 90 and latitude >= 10 and latitude <= 20 order by ts desc limit 10
