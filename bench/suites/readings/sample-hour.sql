select ts, count(*) as readings, avg(velocity) as velocity, max(fuel_consumption) as fuel
from readings
sample by 1h
