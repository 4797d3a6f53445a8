import { describe, expect, it } from "vitest";
import { originalRequest, type ProxyKind } from "../../../src/api/forward-auth/proxies.ts";
import { RequestHeaders } from "../../../src/api/forward-auth/request-headers.ts";

const SOUND: Readonly<Record<Exclude<ProxyKind, "envoy">, readonly (readonly [string, string])[]>> = {
  nginx: [
    ["X-Original-Method", "PUT"],
    ["X-Original-URI", "/api/v1/x?a=b"],
    ["X-Original-Host", "data.example.com"],
  ],
  caddy: [
    ["X-Forwarded-Method", "PUT"],
    ["X-Forwarded-Uri", "/api/v1/x?a=b"],
    ["X-Forwarded-Host", "data.example.com"],
  ],
  traefik: [
    ["X-Forwarded-Method", "PUT"],
    ["X-Forwarded-Uri", "/api/v1/x?a=b"],
    ["X-Forwarded-Host", "data.example.com"],
  ],
};

const asked = { method: "PUT", uri: "/api/v1/x?a=b", host: "data.example.com", contentLength: undefined };

function read(
  proxy: ProxyKind,
  headers: readonly (readonly [string, string])[],
  target = "/forward-auth",
  method = "GET",
) {
  return originalRequest(proxy, { method, target, headers: new RequestHeaders(headers.flat()) });
}

describe.each(["nginx", "caddy", "traefik"] as const)("what %s tells", (proxy) => {
  const sound = SOUND[proxy];

  it("is the client's request", () => {
    expect(read(proxy, sound)).toEqual(asked);
    expect(read(proxy, [...sound, ["X-Original-Content-Length", "12"]])).toEqual({
      ...asked,
      contentLength: "12",
    });
    expect(read(proxy, [...sound, ["X-Original-Content-Length", ""]])).toEqual(asked);
  });

  it("does not depend on the query of the path itself", () => {
    expect(read(proxy, sound, "/forward-auth?X-Amz-Signature=1")).toEqual(asked);
  });

  it.each([0, 1, 2])(
    "is nothing without header %i, with an empty one, and with one that is repeated",
    (index) => {
      const [name] = sound[index] as readonly [string, string];
      const others = sound.filter((_header, position) => position !== index);
      expect(read(proxy, others)).toBeUndefined();
      expect(read(proxy, [...others, [name, ""]])).toBeUndefined();
      expect(read(proxy, [...sound, sound[index] as readonly [string, string]])).toBeUndefined();
      expect(read(proxy, [...sound, [name.toUpperCase(), "x"]])).toBeUndefined();
    },
  );

  it("is nothing with a repeated content length", () => {
    const twice = [
      ["X-Original-Content-Length", "1"],
      ["X-Original-Content-Length", "1"],
    ] as const;
    expect(read(proxy, [...sound, ...twice])).toBeUndefined();
  });

  it.each([
    "/forward-auth/",
    "/forward-authx",
    "/forward-auth/envoy/x",
    "/forward-auth/../x",
    "/forward-auth#x",
  ])("is nothing at %s", (target) => {
    expect(read(proxy, sound, target)).toBeUndefined();
  });

  it.each([
    ["a lower-case method", 0, "put"],
    ["a method with a blank", 0, "PUT /"],
    ["an absolute URI", 1, "http://x/api"],
    ["a fragment", 1, "/api/v1/x#y"],
    ["a blank in the URI", 1, "/api v1"],
    ["a letter beyond ASCII", 1, "/api/v1/ä"],
    ["a host with a blank", 2, "a b"],
  ])("is nothing with %s", (_what, index, value) => {
    const changed = sound.map((header, position) => (position === index ? [header[0], value] : header));
    expect(read(proxy, changed as unknown as typeof sound)).toBeUndefined();
  });

  it("does not come from the headers of another proxy, nor a part of it", () => {
    const other = SOUND[proxy === "nginx" ? "caddy" : "nginx"];
    expect(read(proxy, other)).toBeUndefined();
    for (const index of sound.keys()) {
      expect(
        read(proxy, [...sound.filter((_header, position) => position !== index), ...other]),
      ).toBeUndefined();
    }
    expect(read(proxy, [...other.map(([name]) => [name, "/forged"] as const), ...sound])).toEqual(asked);
  });
});

describe("what envoy tells", () => {
  const host = [["Host", "data.example.com"]] as const;

  it("is its own method, the rest of the path and the host", () => {
    expect(read("envoy", host, "/forward-auth/envoy/api/v1/x?a=b", "PUT")).toEqual(asked);
  });

  it("keeps odd paths as they are", () => {
    for (const path of ["/", "//x", "/../healthz", "/a//b/", "/healthz", "/%2e%2e/x"]) {
      expect(read("envoy", host, `/forward-auth/envoy${path}`, "PUT")?.uri).toBe(path);
    }
  });

  it("is nothing elsewhere, without a host, and with two", () => {
    for (const target of [
      "/forward-auth",
      "/forward-auth/envoy",
      "/forward-auth/envoyx/y",
      "/forward-auth?/envoy/",
    ]) {
      expect(read("envoy", host, target)).toBeUndefined();
    }
    expect(read("envoy", [], "/forward-auth/envoy/x")).toBeUndefined();
    expect(read("envoy", [...host, ...host], "/forward-auth/envoy/x")).toBeUndefined();
  });

  it("does not come from forwarding headers", () => {
    const told = read("envoy", [...host, ...SOUND.caddy, ...SOUND.nginx], "/forward-auth/envoy/y", "GET");
    expect(told).toEqual({ method: "GET", uri: "/y", host: "data.example.com", contentLength: undefined });
  });
});
