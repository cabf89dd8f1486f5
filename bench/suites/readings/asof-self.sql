select count(*) as readings, count(q.velocity) as matched, max(r.velocity - q.velocity) as change
from readings r
lt join readings q on (name)
