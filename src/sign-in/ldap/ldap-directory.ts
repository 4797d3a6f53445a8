/** An LDAP directory, asked for a person and a password (spec/sign-in §8). */

import { randomUUID } from "node:crypto";
import type { Client, Entry } from "ldapts";
import { connectLdap, type LdapServer } from "./connect.ts";
import { filled } from "./filters.ts";

/** The content of the directory, as `authorizer.ldap` says it. */
interface LdapSettings extends LdapServer {
  /** undefined: people are looked up anonymously. */
  readonly bind: { readonly dn: string; readonly password: string } | undefined;
  readonly userBaseDn: string;
  readonly userFilter: string;
  readonly usernameAttribute: string;
  readonly externalIdAttribute: string;
  /** undefined: groups are not read. */
  readonly groups:
    | { readonly baseDn: string; readonly filter: string; readonly nameAttribute: string }
    | undefined;
  readonly timeoutMs: number;
}

/** A person who showed the right password. */
export interface LdapPerson {
  /** The value of the entry, whatever was typed. */
  readonly username: string;
  /** undefined where the entry has none. */
  readonly externalId: string | undefined;
  readonly groups: readonly string[];
}

/** Most groups of a person. */
const MOST_GROUPS = 1_000;
/** Codes by which servers refuse a password: wrong, not allowed this way, locked, expired, or no entry. */
const REFUSALS: ReadonlySet<number> = new Set([19, 32, 34, 48, 49, 50, 53]);

/** The directory. */
export class LdapDirectory {
  readonly #settings: LdapSettings;

  constructor(settings: LdapSettings) {
    this.#settings = settings;
  }

  /**
   * The person with a name and a password; undefined where there is not exactly one entry, or the password is wrong.
   * @throws Error where the server cannot tell
   */
  async find(typed: string, password: string): Promise<LdapPerson | undefined> {
    if (typed === "" || password === "") return undefined;
    const { timeoutMs } = this.#settings;
    const signal = AbortSignal.timeout(timeoutMs);
    const socket = await connectLdap(this.#settings, signal);
    try {
      const { Client } = await import("ldapts");
      // One connection serves one sign-in: the library would otherwise open another one, without TLS.
      let isTaken = false;
      const client = new Client({
        url: "ldap://in-use",
        timeout: timeoutMs,
        createConnection: (() => {
          if (isTaken) throw new Error("the LDAP server closed the connection");
          isTaken = true;
          return socket;
        }) as never,
      });
      return await this.#find(client, typed, password);
    } finally {
      socket.destroy();
    }
  }

  async #find(client: Client, typed: string, password: string): Promise<LdapPerson | undefined> {
    const { userBaseDn, usernameAttribute, externalIdAttribute } = this.#settings;
    await this.#bindAsService(client);
    const entry = await this.#entryOf(client, typed);
    // A name that nobody has takes as many steps as one that somebody has.
    const dn = entry?.dn ?? `cn=${randomUUID()},${userBaseDn}`;
    const isRight = await isAccepted(client, dn, password);
    if (entry === undefined || !isRight) return undefined;
    const username = nameIn(entry, usernameAttribute, typed);
    if (username === undefined) return undefined;
    const groups = await this.#groupsOf(client, entry.dn, username);
    return { username, externalId: idIn(entry, externalIdAttribute), groups };
  }

  async #bindAsService(client: Client): Promise<void> {
    const { bind } = this.#settings;
    if (bind !== undefined) await client.bind(bind.dn, bind.password);
  }

  /** The one entry of a name. References to other servers are not followed. */
  async #entryOf(client: Client, typed: string): Promise<Entry | undefined> {
    const { userBaseDn, userFilter, usernameAttribute, externalIdAttribute } = this.#settings;
    const { searchEntries } = await client
      .search(userBaseDn, {
        scope: "sub",
        derefAliases: "never",
        filter: filled(`(&${userFilter}(${usernameAttribute}={username}))`, { username: typed }),
        // Bytes, where an id is no text.
        explicitBufferAttributes: [externalIdAttribute],
        attributes: [usernameAttribute, externalIdAttribute],
        sizeLimit: 2,
      })
      .catch(tooMany);
    const [entry, second] = searchEntries;
    return entry !== undefined && second === undefined && entry.dn !== "" ? entry : undefined;
  }

  async #groupsOf(client: Client, dn: string, username: string): Promise<readonly string[]> {
    const { groups } = this.#settings;
    if (groups === undefined) return [];
    const { baseDn, filter, nameAttribute } = groups;
    // A person may not be allowed to read groups.
    await this.#bindAsService(client);
    const { searchEntries } = await client.search(baseDn, {
      scope: "sub",
      derefAliases: "never",
      filter: filled(filter, { dn, username }),
      attributes: [nameAttribute],
      paged: { pageSize: 500 },
      sizeLimit: MOST_GROUPS,
    });
    return searchEntries.flatMap((entry) => textsIn(entry, nameAttribute));
  }
}

/** Two entries and "more than two" are the same here. */
function tooMany(error: unknown): { readonly searchEntries: Entry[] } {
  const { code } = error as { readonly code?: unknown };
  if (code === 4) return { searchEntries: [] };
  throw error;
}

async function isAccepted(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code === "number" && REFUSALS.has(code)) return false;
    throw error;
  }
}

/** Of several values the one that was typed, in any letter case, else the first. */
function nameIn(entry: Entry, attribute: string, typed: string): string | undefined {
  const names = textsIn(entry, attribute);
  return names.find((name) => name.toLowerCase() === typed.toLowerCase()) ?? names[0];
}

/** An id; bytes that are no text are hexadecimal digits. */
function idIn(entry: Entry, attribute: string): string | undefined {
  const value = valuesIn(entry, attribute)[0];
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value);
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text).equals(bytes) && !/\p{Cc}/u.test(text);
  return isText ? text : bytes.toString("hex");
}

function textsIn(entry: Entry, attribute: string): readonly string[] {
  return valuesIn(entry, attribute).map((value) => value.toString());
}

/** Servers name attributes in any letter case. */
function valuesIn(entry: Entry, attribute: string): readonly (string | Buffer)[] {
  const name = Object.keys(entry).find((one) => one.toLowerCase() === attribute.toLowerCase());
  const value = name === undefined || name === "dn" ? [] : (entry[name] ?? []);
  const values: readonly (string | Buffer)[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => one.length > 0);
}
