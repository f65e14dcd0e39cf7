import { KEY_VARIABLE, headersOf, indented, quoted } from "./sample.ts";
import type { SampleRequest } from "./sample.ts";

// Samples for Go 1.19 (`go run main.go`) and Java 17 (`java Main.java`), both with nothing but the standard library.

/** The body, a field on each line. */
const prettyBody = ({ body }: SampleRequest): string => JSON.stringify(body, null, 2);

export function go(request: SampleRequest): string {
  const { method, url, auth, key, body } = request;
  const imports = [
    "fmt",
    "io",
    "log",
    "net/http",
    ...(auth && key === null ? ["os"] : []),
    ...(body ? ["strings"] : []),
  ];
  const { reader, line } = body
    ? { line: [`\tbody := strings.NewReader(\`${indented(prettyBody(request), 0)}\`)`], reader: "body" }
    : { line: [], reader: "nil" };
  return [
    "package main\n",
    `import (\n${imports.map((name) => `\t"${name}"\n`).join("")})\n`,
    "func main() {",
    ...line,
    `\trequest, err := http.NewRequest("${method}", ${quoted(url)}, ${reader})`,
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    ...(auth
      ? [
          `\trequest.Header.Set("${auth.name}", ${auth.before ? `${quoted(auth.before)}+` : ""}${key === null ? `os.Getenv("${KEY_VARIABLE}")` : quoted(key)})`,
        ]
      : []),
    ...headersOf(request).map(([name, value]) => `\trequest.Header.Set("${name}", ${quoted(value)})`),
    "\treply, err := http.DefaultClient.Do(request)",
    "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}",
    "\tdefer reply.Body.Close()",
    "\ttext, _ := io.ReadAll(reply.Body)",
    "\tfmt.Println(string(text))",
    "}",
  ].join("\n");
}

const javaHeader = (name: string, value: string) => `            .header("${name}", ${value})`;

export function java(request: SampleRequest): string {
  const { method, url, auth, key, body } = request;
  // A text block reads backslashes as a string does.
  const block = `"""\n            ${indented(prettyBody(request).replaceAll("\\", "\\\\"), 12)}"""`;
  const publisher = body ? `HttpRequest.BodyPublishers.ofString(${block})` : "HttpRequest.BodyPublishers.noBody()";
  return [
    "import java.net.URI;",
    "import java.net.http.HttpClient;",
    "import java.net.http.HttpRequest;",
    "import java.net.http.HttpResponse;\n",
    "public class Main {",
    "    public static void main(String[] args) throws Exception {",
    ...(auth ? [`        String key = ${key === null ? `System.getenv("${KEY_VARIABLE}")` : quoted(key)};`] : []),
    `        HttpRequest request = HttpRequest.newBuilder(URI.create(${quoted(url)}))`,
    ...(auth ? [javaHeader(auth.name, auth.before ? `${quoted(auth.before)} + key` : "key")] : []),
    ...headersOf(request).map(([name, value]) => javaHeader(name, quoted(value))),
    `            .method("${method}", ${publisher})`,
    "            .build();",
    "        HttpResponse<String> reply = HttpClient.newHttpClient()",
    "            .send(request, HttpResponse.BodyHandlers.ofString());",
    "        System.out.println(reply.body());",
    "    }",
    "}",
  ].join("\n");
}
