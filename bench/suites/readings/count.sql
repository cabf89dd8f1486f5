select count(*) as readings
from readings
where velocity > 50 and fuel_consumption < 10 and grade >= 20 and grade <= 60 and latitude > 0
