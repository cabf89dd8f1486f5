SELECT count(*), max(a1.name), max(p3.born), max(w4.title)
FROM link AS l6, work AS w4, person AS p0, country AS c10, country AS c2, work_keyword AS w5, alias AS a1, link_kind AS l9, person AS p3, keyword AS k8, person AS p11, person AS p7
WHERE a1.person_id = p0.id
  AND p0.country_id = c2.id
  AND a1.person_id = p3.id
  AND w4.country_id = c2.id
  AND w5.work_id = w4.id
  AND l6.work_id = w4.id
  AND a1.person_id = p7.id
  AND w5.keyword_id = k8.id
  AND l6.kind_id = l9.id
  AND p0.country_id = c10.id
  AND a1.person_id = p11.id
  AND w4.country_id = p0.country_id
  AND p11.born IS NULL
  AND l9.name LIKE '%of%'
  AND c10.continent = 'europe'
