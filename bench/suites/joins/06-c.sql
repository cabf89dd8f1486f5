SELECT count(*), max(p0.name), min(c2.name), max(a3.name)
FROM country AS c4, edition AS e5, company AS c2, alias AS a3, person AS p0, country AS c1
WHERE p0.country_id = c1.id
  AND c2.country_id = c1.id
  AND a3.person_id = p0.id
  AND c2.country_id = c4.id
  AND e5.country_id = c4.id
  AND e5.released BETWEEN '1990-01-01' AND '2005-12-31'
  AND c1.code IN ('cn', 'dk', 'in')
