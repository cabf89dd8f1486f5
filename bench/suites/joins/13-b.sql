SELECT count(*), min(w1.year), min(w4.title), max(w4.year)
FROM country AS c10, role AS r5, kind AS k12, person AS p11, language AS l2, alias AS a8, rating AS r7, credit AS c9, work AS w4, award AS a6, credit AS c0, person AS p3, work AS w1
WHERE c0.work_id = w1.id
  AND w1.language_id = l2.id
  AND c0.person_id = p3.id
  AND c0.work_id = w4.id
  AND c0.role_id = r5.id
  AND a6.person_id = p3.id
  AND r7.work_id = w1.id
  AND a8.person_id = p3.id
  AND c9.role_id = r5.id
  AND p3.country_id = c10.id
  AND a8.person_id = p11.id
  AND w1.kind_id = k12.id
  AND c0.note = '(as himself)'
  AND a8.name LIKE '%a%'
  AND p11.born > '1961-02-20'
  AND w1.year > 2020
  AND w4.minutes < 113
