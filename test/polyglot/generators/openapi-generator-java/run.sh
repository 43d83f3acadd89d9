# A trade over REST with the client that the OpenAPI Generator makes for Java from openapi/openapi.json when it runs.
source test/polyglot/generators/shared.sh
own_files generators/openapi-generator-java
command -v javac > /dev/null && command -v mvn > /dev/null || lacking 'a JDK (11 or later) or Maven is missing'
# A client of today takes the fields that a gateway of tomorrow adds.
openapi_generator java --output generated --additional-properties disallowAdditionalPropertiesIfNotPresent=false \
  --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false
cp Trade.java generated/src/main/java
download mvn --batch-mode --quiet compile
exec java -cp "target/classes:$(cat classpath)" Trade "$REST_URL"
