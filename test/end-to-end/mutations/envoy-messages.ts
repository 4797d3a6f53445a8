/** Questions of Envoy that are nearly those that it asks, as the bytes of their messages. */

import { fromJSON, type MessageTypeDefinition } from "@grpc/proto-loader";
import fc from "fast-check";
import { DEFINITIONS, HEADER_MAP } from "../../../src/api/ext-authz/messages.ts";
import { clientRequest, mostly } from "./client-requests.ts";
import type { ClientRequest } from "./second-opinion.ts";

const DEFINED = fromJSON(DEFINITIONS as never, { arrays: true, defaults: true, keepCase: true });
type Type = MessageTypeDefinition<object, object>;
const bytesOf = (name: string, value: object): Buffer => (DEFINED[name] as Type).serialize(value);

/** A question: what it asks about, and its bytes. */
export interface EnvoyMessage extends ClientRequest {
  readonly bytes: Buffer;
  /** True where no byte of the message was changed. */
  readonly isWhole: boolean;
}

const source = fc.constantFrom(
  ...["192.0.2.7", "::1", "", "x", "1.2.3", "::ffff:1.2.3.4", "fe80::1%eth0", "\u0000"],
);
/** The parts of a question that may be missing. */
const missing = fc.constantFrom(
  ...["attributes", "source", "address", "request", "http", "headers", "method", "path"],
);
const damages = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 }), fc.constantFrom("flip", "cut", "insert")), {
  maxLength: 3,
});

/** The bytes with damage. */
function damaged(bytes: Buffer, all: readonly (readonly [number, number, string])[]): Buffer {
  return all.reduce((before, [place, byte, kind]) => {
    const at = place % (before.length + 1);
    if (kind === "cut") return before.subarray(0, at);
    const rest = before.subarray(kind === "flip" ? at + 1 : at);
    return Buffer.concat([before.subarray(0, at), Buffer.from([byte]), rest]);
  }, bytes);
}

/** Questions. Half of them are whole. */
export const envoyMessage: fc.Arbitrary<EnvoyMessage> = fc
  .record({
    request: clientRequest,
    times: fc.constantFrom(...Array.from({ length: 20 }, () => 1), 300, 4_000),
    areRaw: fc.boolean(),
    source: mostly("192.0.2.7", source),
    missing: mostly("", missing),
    damage: mostly([], damages),
    ofMap: fc.boolean(),
  })
  .map((one) => {
    const listed = Array.from({ length: one.times }, () => one.request.headers).flat();
    const headers = listed.map(([key, value]) =>
      one.areRaw ? { key, raw_value: Buffer.from(value, "latin1") } : { key, value },
    );
    const map = bytesOf(HEADER_MAP, { headers });
    const has = (name: string) => one.missing !== name;
    const http = {
      ...(has("method") && { method: one.request.method }),
      ...(has("path") && { path: one.request.path }),
      host: one.request.host,
      ...(has("headers") && { header_map: one.ofMap ? damaged(map, one.damage) : map }),
    };
    const address = has("address") ? { socket_address: { address: one.source } } : {};
    const attributes = {
      ...(has("source") && { source: { address } }),
      ...(has("request") && { request: has("http") ? { http } : {} }),
    };
    const whole = bytesOf("envoy.service.auth.v3.CheckRequest", has("attributes") ? { attributes } : {});
    const bytes = one.ofMap ? whole : damaged(whole, one.damage);
    const isWhole = one.damage.length === 0;
    return { ...one.request, headers: listed, bytes, isWhole };
  });
