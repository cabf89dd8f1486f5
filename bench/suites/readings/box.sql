select *
from readings
where latitude >= -45 and latitude <= 45
  and longitude >= 10 and longitude <= 10 + {longitude}
  and elevation < 2500
  and velocity > 50
  and heading >= 90 and heading <= 270
