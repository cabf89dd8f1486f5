SELECT count(*), max(w0.year), max(p5.name), max(a7.name)
FROM role AS r10, person AS p14, person AS p5, credit AS c9, country AS c13, link AS l6, work AS w11, language AS l1, country AS c15, alias AS a7, work AS w12, work AS w0, credit AS c3, country AS c2, link_kind AS l8, kind AS k4
WHERE w0.language_id = l1.id
  AND w0.country_id = c2.id
  AND c3.work_id = w0.id
  AND w0.kind_id = k4.id
  AND c3.person_id = p5.id
  AND l6.work_id = w0.id
  AND a7.person_id = p5.id
  AND l6.kind_id = l8.id
  AND c9.person_id = p5.id
  AND c3.role_id = r10.id
  AND c9.work_id = w11.id
  AND l6.linked_id = w12.id
  AND w11.country_id = c13.id
  AND a7.person_id = p14.id
  AND p14.country_id = c15.id
  AND c3.work_id = l6.work_id
  AND p5.gender = 'f'
  AND c9.note = '(archive footage)'
  AND c2.code = 'ar'
  AND a7.name LIKE '%a%'
  AND w11.minutes < 56
  AND w0.title LIKE '%river%'
