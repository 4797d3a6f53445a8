// A small Java server whose objects are protected by svc-authorizer, over OpenID AuthZEN 1.0. It needs the JDK alone.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executors;

public class Server {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

  /** Asks the decision point. An error is never a permission. */
  static boolean allowed(String user, String action, String resource) throws IOException, InterruptedException {
    String body =
        """
        {"subject": {"type": "user", "id": %s}, "action": {"name": %s}, "resource": {"type": "arn", "id": %s}}
        """
            .formatted(json(user), json(action), json(resource));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(System.getenv("AUTHORIZER_URL") + "/access/v1/evaluation"))
            .timeout(Duration.ofSeconds(5))
            .header("Authorization", "Bearer " + System.getenv("AUTHORIZER_TOKEN"))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) throw new IOException("status " + response.statusCode());
    return response.body().matches("(?s)\\s*\\{\\s*\"decision\"\\s*:\\s*true\\b.*");
  }

  /** A text as JSON. */
  static String json(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') quoted.append('\\').append(c);
      else if (c < ' ') quoted.append("\\u%04x".formatted((int) c));
      else quoted.append(c);
    }
    return quoted.append('"').toString();
  }

  static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** Your authentication goes where the header is read; this example believes it. */
  static void delete(HttpExchange exchange) throws IOException {
    String name = exchange.getRequestURI().getPath().substring("/objects/".length());
    String user = exchange.getRequestHeaders().getFirst("X-User");
    if (user == null) {
      answer(exchange, 401, "authentication required");
      return;
    }
    try {
      boolean ok = allowed(user, "fs:DeleteObject", "arn:svc:fs:::repository/data/object/" + name);
      if (ok) answer(exchange, 200, "deleted");
      else answer(exchange, 403, "not allowed to fs:DeleteObject");
    } catch (IOException | InterruptedException e) {
      answer(exchange, 503, "the authorization service does not answer");
    }
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "3000"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/objects/", Server::delete);
    server.start();
    System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort());
  }
}
