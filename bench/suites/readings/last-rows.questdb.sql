select * from readings where velocity > 90 and latitude >= 10 and latitude <= 20 limit -10
