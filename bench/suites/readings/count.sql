select count(*) as readings
from readings
where velocity > 50 and fuel_consumption < 10 and grade between 20 and 60 and latitude > 0
