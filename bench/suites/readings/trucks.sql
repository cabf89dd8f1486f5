select name, count(*) as readings, avg(velocity) as velocity, max(fuel_consumption) as fuel
from readings
where grade > 50
group by name
order by name
limit 20
