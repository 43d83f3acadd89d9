# The main job over gRPC in Java; its stubs are made from proto/ when it runs.
source test/polyglot/walk.sh
command -v javac > /dev/null && command -v mvn > /dev/null || lacking 'a JDK (11 or later) or Maven is missing'
PROTO=$PWD/proto
own_files java
# Compiling once is faster where the compiler itself is not optimised first.
export MAVEN_OPTS="-XX:TieredStopAtLevel=1 ${MAVEN_OPTS-}"
download mvn --batch-mode --quiet "-Dproto=$PROTO" compile
exec java -cp "target/classes:$(cat classpath)" Main "$GRPC_ADDRESS"
