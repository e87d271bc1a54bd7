const DEPENDENCIES = [
  ['com.fasterxml.jackson.core', 'jackson-databind', '2.21.6'],
  ['com.fasterxml.jackson.datatype', 'jackson-datatype-jsr310', '2.21.6'],
  ['jakarta.annotation', 'jakarta.annotation-api', '2.1.1'],
  ['org.apache.httpcomponents', 'httpmime', '4.5.14'],
].map(
  ([group, name, version]) =>
    `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
);

/** What a client of openapi-generator's java (library native) needs. Its own pom.xml has plugins for publishing too. */
export const JAVA_POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>story</artifactId><version>1</version>
  <dependencies>${DEPENDENCIES.join('')}</dependencies>
</project>
`;
