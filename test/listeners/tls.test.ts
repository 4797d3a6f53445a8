/** Tests what a listener says of files of TLS that it cannot read. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { expect, it } from "vitest";
import { assertUsable, foundProblems } from "../../src/compose/configuration.ts";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { listenerTls, serviceTls, userTls } from "../../src/listeners/tls.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const BASE: ConfigObject = {
  database: { type: "mem" },
  auth: { encrypt: { secret_key: "s".repeat(40) }, api: { token: "t".repeat(40) } },
};
const loaded = configFromObject({
  ...BASE,
  tls: { enabled: true, cert_file: "/none.pem", key_file: "/" },
  authorizer: { tls: { enabled: true, cert_file: "/a.pem", key_file: "/a.key", client_ca_file: "/ca.pem" } },
});
const { values } = loaded;

it("every file that cannot be read is named with its item and the reason", () => {
  expect(() => userTls(values)).toThrow(
    "tls.cert_file: /none.pem: there is no such file\ntls.key_file: /: cannot be read: it is a folder",
  );
  const missing = ["cert_file: /a.pem", "key_file: /a.key", "client_ca_file: /ca.pem"].map(
    (file) => `authorizer.tls.${file}: there is no such file`,
  );
  expect(() => serviceTls(values)).toThrow(missing.join("\n"));
});

it("config validate names the files of all listeners", async () => {
  expect((await foundProblems(loaded)).map(formatProblem)).toEqual([
    "authorizer.tls.cert_file: /a.pem: there is no such file",
    "authorizer.tls.key_file: /a.key: there is no such file",
    "authorizer.tls.client_ca_file: /ca.pem: there is no such file",
    "tls.cert_file: /none.pem: there is no such file",
    "tls.key_file: /: cannot be read: it is a folder",
  ]);
});

it("a start and a reload name them all, too", async () => {
  const all =
    /authorizer\.tls\.cert_file: .*authorizer\.tls\.client_ca_file: .*\btls\.key_file: \/: cannot be read/s;
  await expect(assertUsable(loaded)).rejects.toThrow(/the configuration has 5 problems:/);
  await expect(assertUsable(loaded)).rejects.toThrow(all);
  expect(() => listenerTls(values)).toThrow(all);
});

it("names files that have no certificate or no key, and a key of another certificate", async () => {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  for (const name of ["one", "other"]) {
    const files = ["-keyout", file(`${name}.key`), "-out", file(`${name}.pem`)];
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-subj", "/CN=localhost"];
    execFileSync("openssl", ["req", "-x509", "-nodes", ...kind, ...files], { stdio: "ignore" });
  }
  writeFileSync(file("garbage"), "garbage");
  const problemsOf = async (cert: string, key: string) => {
    const tls = { enabled: true, cert_file: file(cert), key_file: file(key) };
    const problems = await foundProblems(configFromObject({ ...BASE, tls }));
    return problems.map(({ item, message }) => `${item}: ${message}`);
  };
  expect(await problemsOf("one.pem", "one.key")).toEqual([]);
  expect(await problemsOf("one.pem", "other.key")).toEqual([
    `tls.key_file: ${file("other.key")}: is not the key of tls.cert_file`,
  ]);
  expect(await problemsOf("garbage", "garbage")).toEqual([
    expect.stringContaining(`tls.cert_file: ${file("garbage")}: is no certificate in PEM`),
    expect.stringContaining(
      `tls.key_file: ${file("garbage")}: is no private key without a passphrase in PEM`,
    ),
  ]);
});

it("config validate names data sets that are not there", async () => {
  const none = join(temporaryFolder(), "none.yaml");
  const problems = await foundProblems(configFromObject({ ...BASE, "authorizer.datasets": [none] }));
  expect(problems.map(formatProblem)).toEqual([
    `authorizer.datasets: ${none}: no such file, or it cannot be read`,
  ]);
});
