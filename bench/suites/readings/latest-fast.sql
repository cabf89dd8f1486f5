select ts, name, velocity from readings where velocity > 99 latest on ts partition by name
