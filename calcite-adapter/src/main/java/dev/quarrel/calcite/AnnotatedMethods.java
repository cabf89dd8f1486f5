package dev.quarrel.calcite;

import dev.quarrel.core.ir.MethodBody;
import dev.quarrel.core.pg.PgType;
import dev.quarrel.core.type.QueryException;
import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Array;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// Makes SQL functions of methods that are marked as [SqlFunction].
///
/// @param method one of them
/// @param parameters those that SQL sees
/// @param hasSession whether a [SqlSession] is in front of them
/// @param isNullable by parameter: whether it takes null
/// @param handle the method, bound to its object
record AnnotatedMethods(
        Method method,
        SqlFunction marked,
        List<JavaType> parameters,
        boolean hasSession,
        List<Boolean> isNullable,
        JavaType result,
        MethodHandle handle) {
    /// - Errors: [IllegalArgumentException] says which method cannot be one, and why; and for a class without any.
    ///
    /// @param holder a class, whose static methods are meant, or an object
    static List<ScalarFunction> of(Object holder) {
        Class<?> type = holder instanceof Class<?> named ? named : holder.getClass();
        List<ScalarFunction> functions = Stream.of(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(SqlFunction.class))
                // The JVM gives them in any order.
                .sorted(Comparator.comparing(Method::toGenericString))
                .map(method -> read(method, holder).function())
                .toList();
        if (functions.isEmpty()) {
            throw new IllegalArgumentException(type.getName() + " has no method that is marked as @SqlFunction");
        }
        return functions;
    }

    private static AnnotatedMethods read(Method method, Object holder) {
        try {
            SqlFunction marked = method.getAnnotation(SqlFunction.class);
            boolean isStatic = Modifier.isStatic(method.getModifiers());
            require(isStatic || !(holder instanceof Class<?>), "is not static: register an object of its class");
            require(method.getReturnType() != void.class, "gives nothing");
            List<Parameter> declared = List.of(method.getParameters());
            boolean hasSession = !declared.isEmpty() && declared.getFirst().getType() == SqlSession.class;
            require(!hasSession || !marked.pure(), "asks the session, so it needs pure = false");
            List<JavaType> parameters = new ArrayList<>();
            List<Boolean> isNullable = new ArrayList<>();
            for (Parameter parameter : declared.subList(hasSession ? 1 : 0, declared.size())) {
                parameters.add(parameter(parameter));
                isNullable.add(isNullable(parameter));
                require(
                        !isNullable.getLast() || !parameters.getLast().isPrimitive(),
                        "has a primitive parameter that is nullable");
            }
            method.setAccessible(true);
            MethodHandle handle = MethodHandles.lookup().unreflect(method).asFixedArity();
            return new AnnotatedMethods(
                    method,
                    marked,
                    parameters,
                    hasSession,
                    isNullable,
                    JavaType.ofResult(method.getReturnType(), type(method)),
                    isStatic ? handle : handle.bindTo(holder));
        } catch (IllegalArgumentException | QueryException problem) {
            throw new IllegalArgumentException(
                    "no SQL function: " + method.toGenericString() + ": " + problem.getMessage(), problem);
        } catch (IllegalAccessException | InaccessibleObjectException problem) {
            throw new IllegalArgumentException(
                    "no SQL function: " + method.toGenericString() + ": its module does not open the package to "
                            + "dev.quarrel's",
                    problem);
        }
    }

    private static void require(boolean holds, String problem) {
        if (!holds) {
            throw new IllegalArgumentException("it " + problem);
        }
    }

    private static JavaType parameter(Parameter parameter) {
        Class<?> javaClass = parameter.isVarArgs() ? parameter.getType().getComponentType() : parameter.getType();
        return JavaType.ofArgument(javaClass, type(parameter));
    }

    /// The type that an annotation names, or null.
    private static PgType type(AnnotatedElement element) {
        SqlFunction.Type named = element.getAnnotation(SqlFunction.Type.class);
        return named == null ? null : PgType.parse(named.value()).type();
    }

    private static boolean isNullable(Parameter parameter) {
        return Stream.of(
                        parameter.getAnnotations(), parameter.getAnnotatedType().getAnnotations())
                .flatMap(Arrays::stream)
                .map(Annotation::annotationType)
                .anyMatch(type -> type.getSimpleName().equals("Nullable"));
    }

    private ScalarFunction function() {
        String name = marked.name().isEmpty() ? snakeCase(method.getName()) : marked.name();
        List<PgType> types = parameters.stream().map(JavaType::type).toList();
        boolean isStrict = !isNullable.contains(true);
        ScalarFunction.Body body = marked.pure() && !method.isVarArgs()
                ? new ScalarFunction.Pure(new MethodBody(converting(), isNullable))
                : marked.pure() ? new ScalarFunction.Pure(values -> call(null, values)) : this::call;
        return new ScalarFunction(name, types, result.type(), isStrict, method.isVarArgs(), body);
    }

    private static String snakeCase(String name) {
        return name.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }

    /// The method between what a device passes and takes.
    private MethodHandle converting() {
        MethodHandle[] readers = parameters.stream().map(JavaType::reader).toArray(MethodHandle[]::new);
        return MethodHandles.filterReturnValue(MethodHandles.filterArguments(handle, 0, readers), result.writer());
    }

    private Object call(SqlSession session, Object[] values) {
        List<Object> passed = new ArrayList<>();
        if (hasSession) {
            passed.add(session);
        }
        int named = method.isVarArgs() ? parameters.size() - 1 : parameters.size();
        for (int index = 0; index < values.length; index++) {
            if (values[index] == null && !isNullable.get(Math.min(index, parameters.size() - 1))) {
                return null;
            }
        }
        for (int index = 0; index < named; index++) {
            passed.add(parameters.get(index).value(values[index]));
        }
        if (method.isVarArgs()) {
            JavaType last = parameters.getLast();
            Object rest = Array.newInstance(last.javaClass(), values.length - named);
            for (int index = named; index < values.length; index++) {
                Array.set(rest, index - named, last.value(values[index]));
            }
            passed.add(rest);
        }
        try {
            return result.canonical(handle.invokeWithArguments(passed));
        } catch (RuntimeException | Error problem) {
            throw problem;
        } catch (Throwable checked) {
            throw new MethodBody.CheckedFailure(checked);
        }
    }
}
