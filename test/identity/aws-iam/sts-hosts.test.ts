/** The hosts of AWS that may be asked: none that a caller makes up (spec/sign-in §3). */

import { expect, it } from "vitest";
import { stsAddress } from "../../../src/identity/aws-iam/sts-hosts.ts";

const DEFAULT = ["sts.amazonaws.com", "sts.<region>.amazonaws.com"];

it.each<[string, string, string | undefined]>([
  ["sts.amazonaws.com", "us-east-1", "https://sts.amazonaws.com/"],
  ["sts.eu-central-1.amazonaws.com", "eu-central-1", "https://sts.eu-central-1.amazonaws.com/"],
  ["sts.us-gov-west-1.amazonaws.com", "us-gov-west-1", "https://sts.us-gov-west-1.amazonaws.com/"],
  // The region that was signed, and no other.
  ["sts.eu-central-1.amazonaws.com", "us-east-1", undefined],
  ["sts.evil.example.com", "evil.example.com", undefined],
  ["sts.a.amazonaws.com", "a", undefined],
  ["sts..amazonaws.com", "", undefined],
  ["sts.x@y.amazonaws.com", "x@y", undefined],
  ["sts.amazonaws.com.example.com", "us-east-1", undefined],
  ["sts.amazonaws.com:8443", "us-east-1", undefined],
  ["127.0.0.1", "us-east-1", undefined],
  ["169.254.169.254", "us-east-1", undefined],
])("%s in %s: %s", (host, region, wanted) => {
  expect(stsAddress({ host, region }, DEFAULT)).toBe(wanted);
});

it("speaks http on this machine alone", () => {
  const hosts = ["127.0.0.1:8080", "localhost", "sts.example.com", "127.0.0.1.example.com"];
  expect(hosts.map((host) => stsAddress({ host, region: "us-east-1" }, hosts))).toEqual([
    "http://127.0.0.1:8080/",
    "http://localhost/",
    "https://sts.example.com/",
    "https://127.0.0.1.example.com/",
  ]);
});
