/** The form of one row in the table of configuration items, and the types derived from such rows. */

/** Scopes of the tokens of callers other than the data server. */
export const TOKEN_SCOPES = [
  "decide",
  "search",
  "read",
  "replicate",
  "secrets",
  "write",
  "metrics",
  "scim",
] as const;

/** One of {@link TOKEN_SCOPES}. */
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** One entry of `authorizer.tokens`: exactly one of `token`, `token_file` and `token_sha256` is set. */
export interface ServiceTokenItem {
  readonly name: string;
  /** The token itself, at least 32 characters. */
  readonly token?: string;
  /** Absolute path of a file whose first line is the token. */
  readonly token_file?: string;
  /** SHA-256 of the token, 64 lower-case hexadecimal digits. */
  readonly token_sha256?: string;
  readonly scopes: readonly TokenScope[];
  /** Patterns of the names of groups that requests with the token may assert for an unknown subject. */
  readonly assert_groups?: readonly string[];
}

/** Signatures that tokens of an issuer may have: asymmetric ones only. */
export const OIDC_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
] as const;

/** One entry of `authorizer.oidc.issuers`, with its defaults. */
export interface OidcIssuerItem {
  readonly name: string;
  readonly issuer: string;
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  readonly jwks_uri: string | undefined;
  readonly username_claim: string;
  readonly groups_claim: string;
  readonly assert_groups: readonly string[];
  readonly directory_users: boolean;
  /** Claims that tokens must have, with the values that count; what token exchange needs. */
  readonly required_claims: ReadonlyMap<string, readonly string[]>;
  /** Milliseconds. */
  readonly clock_tolerance: number;
  /** True: people sign in here with it. */
  readonly sign_in: boolean;
  /** The name that people know it by. */
  readonly title: string;
  readonly client_id: string | undefined;
  readonly client_secret: string | undefined;
  /** Absolute path of a file whose first line is the secret. */
  readonly client_secret_file: string | undefined;
  readonly scopes: readonly string[];
  readonly create_users: boolean;
  /** True: the sign-out of somebody whom it signed in goes on at the issuer. */
  readonly end_session: boolean;
  /** Claim with the id of a person at the issuer. */
  readonly external_id_claim: string;
  /** True: that id is the user's external id as it is, not after the name of the issuer. */
  readonly bare_external_id: boolean;
}

/** One entry of `authorizer.sts.users`: tokens of the issuer with exactly these claims stand for the user. */
export interface WebUserItem {
  /** Name of one of `authorizer.oidc.issuers`. */
  readonly issuer: string;
  readonly claims: ReadonlyMap<string, string>;
  readonly user: string;
}

/** One of `authorizer.mirroring.regions`: a data server that may have mirrors. */
export interface MirrorRegionItem {
  /** URL without the path of the API. */
  readonly endpoint: string;
  /** Absent, with its secret: each mirror has a user of its own there. */
  readonly access_key_id?: string;
  readonly secret_access_key?: string;
  /** Absolute path of a file whose first line is the secret. */
  readonly secret_access_key_file?: string;
}

/** `count` events in every `intervalMs` milliseconds. */
export interface Rate {
  readonly count: number;
  readonly intervalMs: number;
}

/** The value of an item, by the `type` of its row. */
interface ValueOfType {
  readonly string: string;
  readonly bool: boolean;
  readonly int: number;
  readonly int32: number;
  readonly float: number;
  /** Milliseconds, with a fraction where the text was finer. */
  readonly duration: number;
  /** Number of bytes. */
  readonly bytes: number;
  readonly strings: readonly string[];
  readonly map: ReadonlyMap<string, string>;
  readonly choice: string;
  readonly rate: Rate;
  readonly tokens: readonly ServiceTokenItem[];
  readonly issuers: readonly OidcIssuerItem[];
  readonly web_users: readonly WebUserItem[];
  readonly regions: ReadonlyMap<string, MirrorRegionItem>;
}

/** Name of a value type. */
export type ItemType = keyof ValueOfType;

/** The effect of an item of this service in this version: `yes`, `in part:` and how, or `no:` and why. */
type Acts = "yes" | `in part: ${string}` | `no: ${string}`;

/** A default in the notation of a configuration file; null means that there is none. */
export type DefaultNotation = string | number | boolean | null | readonly string[];

/** One configuration item, of this service or of the data server. */
export interface AnyItem {
  /** Dotted name; the environment variable follows from it. */
  readonly name: string;
  readonly type: ItemType;
  /** The allowed values where the type is "choice". */
  readonly choices?: readonly string[];
  /** Other texts that the data server takes for a choice, in lower case. */
  readonly aliases?: Readonly<Record<string, string>>;
  readonly default: DefaultNotation;
  /** The item whose value is the default here. */
  readonly defaultFrom?: string;
  /** The text about the default in the generated documentation, in place of the value. */
  readonly defaultNote?: string;
  /** True when the value must never be shown. */
  readonly secret?: true;
  /** The text is a path: of a file or folder, of log output (`-` and `=` are none), or a pattern of paths. */
  readonly path?: "file" | "output" | "glob";
  /** A syntax that the text has to follow. */
  readonly check?: TextCheck;
  /** Smallest and largest value, in the item's own notation. Numbers are never negative. */
  readonly min?: number | string;
  readonly max?: number | string;
  /** One line for the reference. */
  readonly meaning: string;
}

/** One configuration item of this service. */
export interface ConfigItem extends AnyItem {
  readonly acts: Acts;
}

/** Names of the syntaxes that {@link ConfigItem.check} can ask for. */
export type TextCheck =
  | "listen address"
  | "https url"
  | "partition"
  | "peers"
  | "node name"
  | "decision share"
  | "sink url"
  | "upstream url"
  | "metadata key"
  | "workers";

type Given<Item extends ConfigItem> = Item extends { type: "choice"; choices: readonly (infer Choice)[] }
  ? Choice
  : ValueOfType[Item["type"]];

/** Type of an item's value: undefined is possible exactly if there is no default. */
export type ItemValue<Item extends ConfigItem> = Item extends { default: null; defaultFrom: string }
  ? Given<Item>
  : Item extends { default: null }
    ? Given<Item> | undefined
    : Given<Item>;
