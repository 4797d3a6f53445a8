/** A real LDAP server, slapd, in a folder of its own. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { selfSigned } from "../http/certificate.ts";

const PROGRAM = "/usr/sbin/slapd";
/** Whether it is installed. */
export const hasSlapd = spawnSync(PROGRAM, ["-VV"]).status === 0;

export const BASE = "dc=example,dc=com";
export const SERVICE = { dn: `cn=service,${BASE}`, password: "the password of the service" };

/** A running server. */
export interface Slapd {
  readonly port: number;
  /** Of `ldaps://127.0.0.1`. */
  readonly tlsPort: number;
  /** PEM file of the authority of its certificate. */
  readonly caFile: string;
  /** Ends it; its ports stay free. */
  close(): Promise<void>;
}

const MODULES = "/usr/lib/ldap";
const SCHEMAS = ["core", "cosine", "inetorgperson"].map((name) => `include /etc/ldap/schema/${name}.schema`);

/**
 * Starts it.
 * @param entries LDIF of what is below {@link BASE}
 */
export async function startSlapd(entries: string): Promise<Slapd> {
  const folder = mkdtempSync(join(tmpdir(), "slapd-"));
  const at = (name: string): string => join(folder, name);
  const { cert, key } = selfSigned("ldap.example.com");
  writeFileSync(at("cert.pem"), cert);
  writeFileSync(at("key.pem"), key, { mode: 0o600 });
  mkdirSync(at("data"));
  const configuration = [
    ...SCHEMAS,
    `modulepath ${MODULES}`,
    "moduleload back_mdb",
    `pidfile ${at("pid")}`,
    `TLSCertificateFile ${at("cert.pem")}`,
    `TLSCertificateKeyFile ${at("key.pem")}`,
    "TLSVerifyClient never",
    "database mdb",
    `suffix "${BASE}"`,
    `directory ${at("data")}`,
    "maxsize 16777216",
    `access to attrs=userPassword by anonymous auth by * none`,
    `access to * by dn.exact="${SERVICE.dn}" read by anonymous auth by * none`,
  ];
  writeFileSync(at("slapd.conf"), `${configuration.join("\n")}\n`);
  writeFileSync(at("entries.ldif"), `${ROOT}\n${entries}`);
  const added = spawnSync("/usr/sbin/slapadd", ["-f", at("slapd.conf"), "-l", at("entries.ldif")]);
  if (added.status !== 0) throw new Error(`slapadd: ${added.stderr.toString()}`);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const urls = `ldap://127.0.0.1:${port} ldaps://127.0.0.1:${tlsPort}`;
  const process = spawn(PROGRAM, ["-f", at("slapd.conf"), "-h", urls, "-d", "0"], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  await answers(tlsPort);
  return {
    port,
    tlsPort,
    caFile: at("cert.pem"),
    close: async () => {
      process.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ROOT = `dn: ${BASE}
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ${SERVICE.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: service
userPassword: ${SERVICE.password}

dn: ou=people,${BASE}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${BASE}
objectClass: organizationalUnit
ou: groups
`;

/** LDIF of a person, below `ou=people`. */
export function person(uid: string, password: string, more: readonly string[] = []): string {
  return [
    `dn: ${dnOf(uid)}`,
    "objectClass: inetOrgPerson",
    `cn: ${commonName(uid)}`,
    "sn: Example",
    // Base64: any text.
    `uid:: ${Buffer.from(uid).toString("base64")}`,
    `userPassword:: ${Buffer.from(password).toString("base64")}`,
    ...more,
    "\n",
  ].join("\n");
}

/** LDIF of a group. */
export function group(cn: string, ...members: readonly string[]): string {
  return [
    `dn: cn=${cn},ou=groups,${BASE}`,
    "objectClass: groupOfNames",
    `cn: ${cn}`,
    ...members.map((uid) => `member: ${dnOf(uid)}`),
    "\n",
  ].join("\n");
}

function dnOf(uid: string): string {
  return `cn=${commonName(uid)},ou=people,${BASE}`;
}

/** Any name, in letters that need no care in a DN. */
function commonName(uid: string): string {
  return `person ${Buffer.from(uid).toString("hex")}`;
}

async function answers(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await delay(50);
  }
  throw new Error("slapd does not answer");
}
