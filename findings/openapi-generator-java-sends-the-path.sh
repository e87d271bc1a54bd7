#!/usr/bin/env bash
# The Java client that openapi-generator makes with its library `native` sends the path of a file in place of its content.
#
# Seen with openapi-generator 7.26.0 and Java 17. The body of the operation is a file of the type text/csv. The client's
# method takes a java.io.File, writes it by Jackson as it writes a JSON body, and says Content-Type: text/csv. Nothing fails:
# the server gets one line, the path of the file in quotes.
# The library okhttp-gson, its default, sends the content.
# It ends with an error if one of these changes. It needs a JDK, Maven and Python.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

dependency() { echo "<dependency><groupId>$1</groupId><artifactId>$2</artifactId><version>$3</version></dependency>"; }
copy() {
  local lib=$1
  shift
  cat > pom.xml <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>seen</artifactId><version>1</version>
  <dependencies>$*</dependencies>
</project>
XML
  mvn -q -B dependency:copy-dependencies -DoutputDirectory="$lib" > /dev/null
}
python3 -m pip install --quiet --disable-pip-version-check --target generator openapi-generator-cli==7.26.0 2> /dev/null
copy native-lib \
  "$(dependency com.fasterxml.jackson.core jackson-databind 2.21.6)" \
  "$(dependency com.fasterxml.jackson.datatype jackson-datatype-jsr310 2.21.6)" \
  "$(dependency jakarta.annotation jakarta.annotation-api 2.1.1)" \
  "$(dependency org.apache.httpcomponents httpmime 4.5.14)"
copy okhttp-gson-lib \
  "$(dependency com.squareup.okhttp3 okhttp 4.12.0)" \
  "$(dependency com.squareup.okhttp3 logging-interceptor 4.12.0)" \
  "$(dependency com.google.code.gson gson 2.10.1)" \
  "$(dependency io.gsonfire gson-fire 1.9.0)" \
  "$(dependency org.apache.commons commons-lang3 3.18.0)" \
  "$(dependency jakarta.annotation jakarta.annotation-api 2.1.1)" \
  "$(dependency jakarta.ws.rs jakarta.ws.rs-api 2.1.6)" \
  "$(dependency com.google.code.findbugs jsr305 3.0.2)"

cat > openapi.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Files", "version": "1" },
  "paths": {
    "/import": {
      "post": {
        "operationId": "importFile",
        "requestBody": {
          "required": true,
          "content": { "text/csv": { "schema": { "type": "string", "format": "binary" } } }
        },
        "responses": { "204": { "description": "Taken" } }
      }
    }
  }
}
JSON

cat > Seen.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import made.ApiClient;
import made.api.DefaultApi;

public class Seen {
  public static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    StringBuilder seen = new StringBuilder();
    server.createContext(
        "/import",
        exchange -> {
          seen.append(exchange.getRequestHeaders().getFirst("Content-Type")).append(" ");
          seen.append(new String(exchange.getRequestBody().readAllBytes()).trim());
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    Files.writeString(new File("contacts.csv").toPath(), "ada@example.com\n");
    ApiClient client = new ApiClient();
    String address = "http://127.0.0.1:" + server.getAddress().getPort();
    if (args[0].equals("native")) client.getClass().getMethod("updateBaseUri", String.class).invoke(client, address);
    else client.getClass().getMethod("setBasePath", String.class).invoke(client, address);
    new DefaultApi(client).importFile(new File("contacts.csv"));
    server.stop(0);
    System.out.println(seen);
    System.exit(0);
  }
}
JAVA

seen_with() {
  java -jar generator/openapi_generator_cli/openapi-generator.jar generate -i openapi.json -g java -o "$1" --library "$1" \
    --additional-properties openApiNullable=false,useJakartaEe=true --invoker-package made --api-package made.api \
    --model-package made.model > generated.log 2>&1
  find "$1/src/main/java" -name '*.java' > sources
  javac -nowarn -cp "$1-lib/*" -d "$1-classes" @sources Seen.java > compiled.log 2>&1
  java -cp "$1-classes:$1-lib/*" Seen "$1"
}
native=$(seen_with native)
gson=$(seen_with okhttp-gson)
echo "native:      $native"
echo "okhttp-gson: $gson"
if [[ $native == 'text/csv "'*'contacts.csv"' && $gson == 'text/csv ada@example.com' ]]; then
  echo 'as seen'
else
  echo CHANGED
  exit 1
fi
