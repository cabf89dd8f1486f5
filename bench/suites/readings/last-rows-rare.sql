select * from readings where velocity = 77 and heading = 77 and fuel_consumption < 5 order by ts desc limit 10
