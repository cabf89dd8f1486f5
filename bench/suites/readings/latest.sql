select * from readings latest on ts partition by name
