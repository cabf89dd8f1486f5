SELECT count(*), min(a1.name), max(p5.name), min(a8.year)
FROM person AS p11, alias AS a1, person AS p9, person AS p5, person AS p0, person AS p6, award AS a8, alias AS a3, person AS p7, country AS c10, country AS c2, alias AS a4
WHERE a1.person_id = p0.id
  AND p0.country_id = c2.id
  AND a3.person_id = p0.id
  AND a4.person_id = p0.id
  AND a4.person_id = p5.id
  AND a4.person_id = p6.id
  AND a1.person_id = p7.id
  AND a8.person_id = p7.id
  AND a4.person_id = p9.id
  AND p7.country_id = c10.id
  AND a3.person_id = p11.id
  AND a4.person_id = a8.person_id
  AND a1.name LIKE '%a%'
  AND p5.born > '1999-03-19'
  AND a4.name LIKE '%a%'
  AND p11.born > '1923-04-01'
