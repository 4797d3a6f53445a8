/** The syntaxes of texts of some items. */
import { isIP } from "node:net";
import type { TextCheck } from "../item.ts";
import { isLoopbackHost, parseListenAddress } from "./listen-address.ts";
import { workerCount } from "./worker-count.ts";

/** The expected syntax of an invalid text; undefined for a valid one. */
export function expectedText(check: TextCheck, text: string): string | undefined {
  return CHECKS[check](text);
}

const CHECKS: Readonly<Record<TextCheck, (text: string) => string | undefined>> = {
  "listen address": (text) =>
    parseListenAddress(text) === undefined
      ? "expected host:port such as 127.0.0.1:8001, [::1]:8001 or :8001, with a port of 0 to 65535"
      : undefined,
  "https url": checkHttpsUrl,
  partition: (text) =>
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$/.test(text)
      ? undefined
      : "expected letters, digits, - and _ (at most 63)",
  workers: (text) =>
    workerCount(text, 1) === undefined ? "expected a number of 1 to 32, or auto" : undefined,
  "node name": (text) =>
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(text)
      ? undefined
      : "expected letters, digits, ., - and _ (at most 63), beginning with a letter or digit",
  "decision share": (text) =>
    /^(none|denied|all|0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(text)
      ? undefined
      : "expected none, denied, all, or a share of the allowed decisions between 0 and 1 such as 0.05",
  "sink url": (text) =>
    isSinkUrl(text)
      ? undefined
      : "expected https://… for NDJSON or otlp+https://… for OTLP logs, without credentials; http only on loopback",
  "upstream url": (text) =>
    isOrigin(text) ? undefined : "expected http:// or https:// with host and port, and nothing behind them",
  "metadata key": (text) =>
    /^[\w.:/-]{1,64}$/.test(text) ? undefined : "expected 1 to 64 letters, digits, _, ., :, / and -, or off",
  peers: (text) =>
    text === "loopback" || isPeer(text)
      ? undefined
      : "expected an IP address, a CIDR block such as 10.0.0.0/8, or loopback",
};

function checkHttpsUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const sound =
    url !== null &&
    url.protocol === "https:" &&
    !/[?#\s]/.test(text) &&
    url.username === "" &&
    url.password === "";
  return sound ? undefined : "expected an https URL without query, fragment and credentials";
}

function isSinkUrl(text: string): boolean {
  const url = URL.parse(text.replace(/^otlp\+/, ""));
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(host));
}

function isPeer(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function isOrigin(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return /^https?:$/.test(url.protocol) && url.host !== "" && url.pathname === "/" && !/[?#\s]/.test(text);
}
