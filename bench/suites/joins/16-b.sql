SELECT count(*), max(c2.note), max(a5.year), max(w10.title)
FROM work AS w4, country AS c8, work_keyword AS w6, genre AS g9, alias AS a11, credit AS c0, award AS a5, role AS r13, role AS r1, language AS l14, work AS w10, person AS p3, credit AS c2, keyword AS k12, person AS p15, person AS p7
WHERE c0.role_id = r1.id
  AND c2.role_id = r1.id
  AND c0.person_id = p3.id
  AND c2.work_id = w4.id
  AND a5.person_id = p3.id
  AND w6.work_id = w4.id
  AND c2.person_id = p7.id
  AND p3.country_id = c8.id
  AND w4.genre_id = g9.id
  AND c0.work_id = w10.id
  AND a11.person_id = p7.id
  AND w6.keyword_id = k12.id
  AND c0.role_id = r13.id
  AND w4.language_id = l14.id
  AND a11.person_id = p15.id
  AND a5.person_id = a11.person_id
  AND k12.word LIKE 'ri%'
  AND l14.name LIKE '%n%'
  AND c8.continent = 'europe'
  AND c0.note = '(co-producer)'
  AND c2.note IN ('(as himself)', '(as himself)')
  AND (w10.title LIKE 'The s%' OR w10.minutes > 100)
