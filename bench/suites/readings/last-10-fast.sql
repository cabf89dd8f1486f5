select * from readings where velocity > 90 and latitude between 10 and 20 order by ts desc limit 10
