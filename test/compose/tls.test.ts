/** Tests what a listener says of files of TLS that it cannot read. */
import { expect, it } from "vitest";
import { serviceTls, userTls } from "../../src/compose/listeners/tls.ts";
import { configFromObject } from "../../src/config/load.ts";

const { values } = configFromObject({
  database: { type: "mem" },
  auth: { encrypt: { secret_key: "s".repeat(40) }, api: { token: "t".repeat(40) } },
  tls: { enabled: true, cert_file: "/none.pem", key_file: "/" },
  authorizer: { tls: { enabled: true, cert_file: "/a.pem", key_file: "/a.key", client_ca_file: "/ca.pem" } },
});

it("every file that cannot be read is named with its item and the reason", () => {
  expect(() => userTls(values)).toThrow(
    "tls.cert_file: /none.pem: there is no such file\ntls.key_file: /: cannot be read: it is a folder",
  );
  const missing = ["cert_file: /a.pem", "key_file: /a.key", "client_ca_file: /ca.pem"].map(
    (file) => `authorizer.tls.${file}: there is no such file`,
  );
  expect(() => serviceTls(values)).toThrow(missing.join("\n"));
});
