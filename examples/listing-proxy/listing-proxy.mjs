// A gateway in front of a data server that filters lists: docs/requests.md#listing-with-a-filter
import { createServer, get } from "node:http";
import { json } from "node:stream/consumers";

/** A read-only proxy that shows each user what the user may see. */
export function listingProxy({ authorizer, token, dataServer, userOf }) {
  async function ask(call, question) {
    const response = await fetch(`${authorizer}/access/v1/${call}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify(question),
    });
    if (!response.ok) throw new Error(`the authorizer answered ${response.status}`);
    return response.json();
  }

  /** The allowed results: `{result.id}` at the end of the resource stands for the `id` of each result. */
  async function visible(results, user, { action, resource }) {
    const at = resource.lastIndexOf("{");
    const field = resource
      .slice(at + 1, -1)
      .split(".")
      .at(-1);
    const resources = results.map((result) => resource.slice(0, at) + result[field]);
    const { allowed } = await ask("filter", { user, action, resources });
    return allowed.map((index) => results[index]);
  }

  /** Forwards the request target unchanged; `fetch` would normalise it. */
  function forward({ url, headers }) {
    const { hostname, port } = new URL(dataServer);
    return new Promise((resolve, reject) => {
      get({ hostname, port, path: url, headers: { ...headers, host: `${hostname}:${port}` } }, resolve).on(
        "error",
        reject,
      );
    });
  }

  async function answer(request) {
    const user = userOf(request);
    if (user === undefined) return { status: 401, body: { message: "not authenticated" } };
    if (request.method !== "GET") return { status: 405, body: { message: "this proxy only reads" } };
    const [path, ...query] = request.url.split("?");
    const { authorization } = request.headers;
    const decision = await ask("request", {
      user,
      method: request.method,
      path,
      query: query.join("?"),
      headers: authorization === undefined ? {} : { authorization },
      api: "main",
    });
    if (decision.allowed !== true) return { status: 401, body: { message: decision.message } };
    const upstream = await forward(request);
    const body = await json(upstream);
    if (upstream.statusCode === 200 && decision.per_item !== undefined) {
      body.results = await visible(body.results, user, decision.per_item);
    }
    return { status: upstream.statusCode, body };
  }

  return createServer((request, response) => {
    answer(request)
      .catch(() => ({ status: 502, body: { message: "no answer" } }))
      .then(({ status, body }) => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
  });
}
