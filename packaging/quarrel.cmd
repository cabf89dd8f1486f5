@echo off
rem Starts Quarrel on Windows: quarrel.jar lies beside this script. Not tried on Windows yet; what can be tested elsewhere is.
rem
rem   JAVA_HOME           a JDK or JRE 25 or newer; otherwise the java in PATH is taken. An older one says so itself.
rem   QUARREL_JAVA_OPTS   further options for the JVM, such as -Xmx8g
setlocal
set "java=java.exe"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java.exe"
"%java%" --sun-misc-unsafe-memory-access=allow %QUARREL_JAVA_OPTS% -jar "%~dp0quarrel.jar" %*
exit /b %ERRORLEVEL%
