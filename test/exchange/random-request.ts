/**
 * Random requests for a data server with one key, each from a seed and its number, so that one case can be made again; and
 * what the rules of the exchange refuse of them, stated here a second time.
 */

import { SERVER_KEY } from "./one-key-server.ts";
import { numbers } from "./random-numbers.ts";
import { ACCESS_KEYS, basicOf, S3_DOMAIN, signedBy } from "./start-exchange.ts";

/** A request of a client. */
export interface RandomRequest {
  /** The seed and the number: what makes it again. */
  readonly id: string;
  /** The user of its credential, if that is right. */
  readonly user: string | undefined;
  readonly s3: boolean;
  readonly method: string;
  readonly uri: string;
  readonly host: string;
  readonly headers: readonly (readonly [string, string])[];
}

const USERS = [...ACCESS_KEYS.keys()];
const KEYS = [
  "a",
  "b/c",
  "_lakefs_actions/a.yaml",
  "%5Flakefs_actions/x",
  "/_lakefs_actions/y",
  "_lakefs_actions",
  "a%20b%C3%A4",
];
/** Of these a key is put together, where it is none of {@link KEYS}. */
const PIECES = [
  "_lakefs_actions",
  "_LAKEFS_ACTIONS",
  "/",
  "%2F",
  "//",
  "a",
  "%C3%A4",
  "%25",
  "%3B",
  "%5C",
  "..",
  "%20",
];
const REPOSITORIES = ["data", "data", "other", "object"];
const MAIN: readonly (readonly [string, string])[] = [
  ["GET", "/repositories/R"],
  ["GET", "/repositories/R/branches"],
  ["DELETE", "/repositories/R/branches/kept"],
  ["GET", "/repositories/R/refs/main/objects?path=K"],
  ["GET", "/repositories/R/refs/main/objects/ls?presign=true"],
  ["GET", "/repositories/R/refs/main/objects/ls?presign=false"],
  ["POST", "/repositories/R/branches/main/objects?path=K"],
  ["PUT", "/repositories/R/branches/main/objects?path=K"],
  ["DELETE", "/repositories/R/branches/main/objects?path=K"],
  ["PUT", "/repositories/R/branches/main/objects/stat/user_metadata?path=K"],
  ["POST", "/repositories/R/branches/main/objects/copy?dest_path=K"],
  ["GET", "/repositories/R/branches/main/staging/backing?path=K"],
  ["PUT", "/repositories/R/branches/main/staging/backing?path=K"],
  ["POST", "/repositories/R/branches/main/staging/pmpu?path=K"],
  ["DELETE", "/repositories/R/branches/main/staging/pmpu/u?path=K"],
  ["POST", "/repositories/R/branches/main/import"],
  ["GET", "/repositories/R/branches/main/import"],
  ["POST", "/repositories/R/branches/main/commits"],
  ["POST", "/repositories/R/commits"],
  ["PUT", "/repositories/R/refs/restore"],
  ["POST", "/repositories/R/restore"],
  ["GET", "/auth/users"],
  ["POST", "/auth/users/one/credentials"],
  ["GET", "/user"],
  ["GET", "/setup_lakefs"],
  ["GET", "/healthcheck"],
  ["GET", "/config"],
  ["GET", "/nothing"],
];
const S3: readonly (readonly [string, string])[] = [
  ["GET", "/R?list-type=2&prefix=main%2F"],
  ["HEAD", "/R"],
  ["GET", "/R/main/K"],
  ["HEAD", "/R/main/K"],
  ["PUT", "/R/main/K"],
  ["DELETE", "/R/main/K"],
  ["POST", "/R/main/K?uploads="],
  ["PUT", "/R/main/K?partNumber=1&uploadId=u"],
  ["POST", "/R?delete="],
];
const MORE: readonly Readonly<Record<string, string>>[] = [
  {},
  {},
  { "x-amz-meta-a": "b  c" },
  { "x-amz-copy-source": "/other/main/a" },
  { "x-amz-copy-source": "/data/main/a" },
  { "x-amz-content-sha256": "UNSIGNED-PAYLOAD" },
  { "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" },
];

/** The request with a number of a seed, signed now. */
export function randomRequest(seed: number, index: number): RandomRequest {
  const next = numbers(Math.imul(seed, 0x9e3779b1) + index);
  const one = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const id = `${seed}:${index}`;
  const s3 = next() < 0.5;
  const [method, template] = one(s3 ? S3 : MAIN);
  const key = next() < 0.7 ? one(KEYS) : Array.from({ length: 4 }, () => one(PIECES)).join("");
  const plain = (s3 ? template : `/api/v1${template}`).replace("R", one(REPOSITORIES)).replace("K", key);
  const uri = next() < 0.1 ? respelt(plain, next) : plain;
  const user = one(USERS);
  if (!s3) return { id, s3, method, uri, host: "data.example.com", ...mainCredential(next(), user) };
  const form = next() < 0.2 ? ("presigned" as const) : ("header" as const);
  const changed = next() < 0.1;
  const more = form === "presigned" ? {} : one(MORE);
  const signed = signedBy(user, method, uri, { form, headers: more });
  const headers = signed.headers.filter(([name]) => name !== "host");
  const wrong = changed ? signed.uri.replace("data", "other").replace("main", "dev") : signed.uri;
  const shown = wrong === signed.uri ? user : undefined;
  return { id, s3, method, uri: wrong, host: S3_DOMAIN, headers, user: shown };
}

/** The same path with some letters as escapes. */
function respelt(uri: string, next: () => number): string {
  const [path = "", query] = uri.split("?");
  const spelt = path.replace(/%..|[a-z_]/g, (part) =>
    part.startsWith("%") || next() < 0.8 ? part : `%${part.charCodeAt(0).toString(16)}`,
  );
  return query === undefined ? spelt : `${spelt}?${query}`;
}

function mainCredential(chance: number, user: string): Pick<RandomRequest, "user" | "headers"> {
  const own = `${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`;
  if (chance < 0.05) return { user: undefined, headers: [] };
  if (chance < 0.1) return { user: undefined, headers: [["authorization", "Basic QUtJQTp4"]] };
  if (chance < 0.15) {
    return { user: undefined, headers: [["authorization", `Basic ${Buffer.from(own).toString("base64")}`]] };
  }
  return { user, headers: [["authorization", basicOf(user)]] };
}

const EVERY_NAMESPACE = new Set(["importer", "administrator", "nearly", "conditional"]);

/** True if the rules of spec/exchange §4 refuse the request, whatever policies say. */
export function isRefused({ user, s3, method, uri, headers }: RandomRequest): boolean {
  const [rawPath = "", query = ""] = uri.split("?");
  const path = decodeURIComponent(rawPath);
  const isAdministrator = user === "administrator";
  if (s3) {
    const content = headers.find(([name]) => name === "x-amz-content-sha256")?.[1] ?? "";
    if (content.startsWith("STREAMING-AWS4")) return true;
    const key = path.split("/").slice(3).join("/").replace(/^\/+/, "");
    return /^(?:PUT|POST)$/.test(method) && key.startsWith("_lakefs_actions/") && !isAdministrator;
  }
  if (/^\/api\/v1\/(?:auth\/|user$|setup)/.test(path)) return true;
  if (isAdministrator) return false;
  const what = `${method} ${path.replace(/^\/api\/v1\/repositories\/\w+/, "")}`;
  if (/^(?:POST \/branches\/main\/import|POST \/commits|PUT \/refs\/restore|POST \/restore)$/.test(what))
    return true;
  const parameters = new URLSearchParams(query);
  const key = (parameters.get("dest_path") ?? parameters.get("path") ?? "").replace(/^\/+/, "");
  const writes = /branches\/main\/(?:objects|staging)/.test(what) && what !== "DELETE /branches/main/objects";
  if (writes && key.startsWith("_lakefs_actions/")) return true;
  const byAddress = /^PUT \/branches\/main\/(?:objects|staging\/backing)$/.test(what);
  return byAddress && !EVERY_NAMESPACE.has(user ?? "");
}
