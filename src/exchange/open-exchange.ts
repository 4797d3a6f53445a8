/** Builds the exchange. `exchange.ts` is the contract. */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { AllowedRequest, Exchange, NotExchanged, Presigned, ServerKey, Upstream } from "./exchange.ts";
import { openRowRules } from "./row-rules.ts";
import { Resigning } from "./sign-anew.ts";

/** Options of {@link openExchange}. */
interface ExchangeOptions {
  readonly key: ServerKey;
  /** Region of the signatures that the data server gets. */
  readonly region: string;
  readonly presigned: Presigned;
  /** True where the streaming listener takes bodies that are signed in chunks. */
  readonly streams?: boolean;
  readonly catalog: Pick<Catalog, "endpoints">;
  /** Unix milliseconds; default the clock. */
  readonly now?: () => number;
}

/** Opens the exchange. */
export function openExchange(options: ExchangeOptions): Exchange {
  const { key, region, presigned, streams = false, catalog, now = Date.now } = options;
  const resigning = new Resigning({ key, region, presigned, streams, now });
  const basic = `Basic ${Buffer.from(`${key.accessKeyId}:${key.secret}`).toString("base64")}`;
  return {
    rules: openRowRules(catalog),
    upstream: (request) => upstream(request, { key, basic, resigning }),
    own: (request) =>
      request.wire.api === "gateway" ? resigning.signOwn(request) : { authorization: basic },
  };
}

interface Parts {
  readonly key: ServerKey;
  readonly basic: string;
  readonly resigning: Resigning;
}

function upstream(request: AllowedRequest, { key, basic, resigning }: Parts): Upstream | NotExchanged {
  const { anonymous, accessKeyId, wire, headers } = request;
  if (accessKeyId === key.accessKeyId) {
    return { refused: "this access key is the data server's own: it is not for clients" };
  }
  if (anonymous) {
    // Where a proxy sets the header only if it is answered, the client's own would go on.
    return headers.has("authorization")
      ? { refused: "a request without a user has no Authorization" }
      : { authorization: undefined };
  }
  return wire.api === "gateway" ? resigning.sign(request) : { authorization: basic };
}
