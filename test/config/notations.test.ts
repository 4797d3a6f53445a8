import { formatDuration, parseDuration } from "@svc-authorizer/commands/duration.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatBytes, parseBytes } from "../../src/config/values/bytes.ts";
import { isLoopbackHost, parseListenAddress } from "../../src/config/values/listen-address.ts";
import { isKnownPlaceholder, isPlaceholder } from "../../src/config/values/placeholder.ts";
import { formatRate, parseRate } from "../../src/config/values/rate.ts";

const NANOSECONDS = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  ms: 10n ** 6n,
  s: 10n ** 9n,
  m: 60n * 10n ** 9n,
  h: 3600n * 10n ** 9n,
};
const UNITS = Object.keys(NANOSECONDS) as (keyof typeof NANOSECONDS)[];

/** A part of a duration with its length in billionths of a nanosecond, by whole numbers alone. */
const part = fc
  .record({
    whole: fc.nat(9999),
    fraction: fc.option(fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 9 })),
    unit: fc.constantFrom(...UNITS),
  })
  .map(({ whole, fraction, unit }) => {
    const digits = BigInt(whole) * 10n ** 9n + BigInt((fraction ?? "").padEnd(9, "0"));
    return {
      text: `${whole}${fraction === null ? "" : `.${fraction}`}${unit}`,
      length: digits * NANOSECONDS[unit],
    };
  });

describe("durations", () => {
  it("are the sum of their parts, for any parts", () => {
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.constantFrom("", "+", "-"),
        (parts, sign) => {
          const milliseconds = Number(parts.reduce((sum, { length }) => sum + length, 0n)) / 1e15;
          const parsed = parseDuration(sign + parts.map(({ text }) => text).join(""));
          expect(parsed).toBeCloseTo(sign === "-" ? -milliseconds : milliseconds, 3);
        },
      ),
    );
  });

  it("read back from their text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), fc.constantFrom(1, 1000), (amount, scale) => {
        expect(parseDuration(formatDuration(amount / scale))).toBeCloseTo(amount / scale, 6);
      }),
    );
  });

  it.each([
    ["0", 0],
    ["0s", 0],
    ["1h30m", 5_400_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["1.s", 1000],
    ["100ms", 100],
    ["1us", 0.001],
    ["168h", 604_800_000],
    ["-5m", -300_000],
  ])("%s is %d ms", (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each([
    "",
    "5",
    "m",
    "5 m",
    "5m ",
    "1d",
    "1H",
    "5m3",
    "--5m",
    "1e3s",
    "5,5s",
    ".s",
    "３s",
    "NaN",
    "300000000h",
  ])("%j is none", (text) => expect(parseDuration(text)).toBeUndefined());

  it("are written in the units that people use", () => {
    expect([0, 90_000, 604_800_000, 1.5, 0.000001].map(formatDuration)).toEqual([
      "0s",
      "1m30s",
      "168h",
      "1ms500us",
      "1ns",
    ]);
  });
});

describe("sizes", () => {
  it.each([
    ["0", 0],
    ["1048576", 1048576],
    ["1 MiB", 1048576],
    ["16KiB", 16384],
    ["1.5 mib", 1572864],
    ["2MB", 2_000_000],
    ["512 B", 512],
  ])("%s is %d bytes", (text, bytes) => expect(parseBytes(text)).toBe(bytes));

  it.each(["", "MiB", "-1", "1 TB", "1.5", "1 i", "0x10", "9007199254740993"])("%j is none", (text) =>
    expect(parseBytes(text)).toBeUndefined(),
  );

  it("read back from their text", () => {
    fc.assert(fc.property(fc.nat(2 ** 31 - 1), (bytes) => parseBytes(String(formatBytes(bytes))) === bytes));
    expect([1048576, 1000, 16384].map(formatBytes)).toEqual(["1 MiB", 1000, "16 KiB"]);
  });
});

describe("rates", () => {
  it("are a count in a second, minute or hour", () => {
    expect(parseRate("20/m")).toEqual({ count: 20, intervalMs: 60_000 });
    expect(["5/s", "20/m", "7/h"].map((text) => formatRate(parseRate(text)!))).toEqual([
      "5/s",
      "20/m",
      "7/h",
    ]);
    for (const text of ["", "20", "0/m", "20/d", "-1/s", "1.5/s"]) expect(parseRate(text)).toBeUndefined();
  });
});

describe("listen addresses", () => {
  it.each([
    ["127.0.0.1:8001", { host: "127.0.0.1", port: 8001 }],
    ["[::1]:8001", { host: "::1", port: 8001 }],
    [":8000", { host: "", port: 8000 }],
    ["[::]:0", { host: "::", port: 0 }],
    ["sidecar.svc.local:443", { host: "sidecar.svc.local", port: 443 }],
  ])("%s", (text, address) => expect(parseListenAddress(text)).toEqual(address));

  it.each([
    "",
    "8001",
    "127.0.0.1",
    "127.0.0.1:",
    "::1:8001",
    "[::1]",
    "[x]:1",
    "a b:1",
    "127.0.0.1:65536",
    "1.2.3:80",
    "http://x:80",
    "*:80",
    "h:-1",
  ])("%j is none", (text) => expect(parseListenAddress(text)).toBeUndefined());

  it("are on loopback only for localhost, 127/8 and ::1", () => {
    for (const host of [
      "localhost",
      "127.0.0.1",
      "127.9.9.9",
      "::1",
      "0:0:0:0:0:0:0:1",
      "::ffff:127.0.0.1",
    ]) {
      expect(isLoopbackHost(host), host).toBe(true);
    }
    for (const host of [
      "",
      "0.0.0.0",
      "::",
      "10.0.0.1",
      "localhost.example.com",
      "::ffff:10.0.0.1",
      "127.example",
    ]) {
      expect(isLoopbackHost(host), host).toBe(false);
    }
  });
});

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-";

describe("placeholders", () => {
  it("of the reference count as not set; others are publicly known", () => {
    for (const text of ["<SIGNING_SECRET>", "<API_TOKEN>", "{auth_url}", "{base_url}"]) {
      expect(isPlaceholder(text), text).toBe(true);
    }
    for (const text of [
      "${SECRET}",
      "[ENCRYPTION_KEY]",
      "THIS_MUST_BE_CHANGED_IN_PRODUCTION",
      "some random secret string",
      "change-me-".repeat(5),
    ]) {
      expect(isPlaceholder(text), text).toBe(false);
      expect(isKnownPlaceholder(text), text).toBe(true);
    }
  });

  it("are not what random keys look like", () => {
    const key = fc.string({
      unit: fc.constantFrom(...BASE64),
      minLength: 32,
      maxLength: 64,
    });
    fc.assert(fc.property(key, (text) => !isKnownPlaceholder(text)));
  });
});
