/** Items that are set and that nothing acts on: not in this version, or not with the rest of the configuration. */
import { DATA_SERVER_ITEMS } from "./data-server-items.ts";
import type { Origins } from "./merge.ts";
import { CONFIG_ITEMS, type ConfigName, type ConfigValues, itemNamed } from "./table.ts";
import { hasMirroring } from "./validate-mirroring.ts";
import { principalEndpoint, remoteEndpoint } from "./values/remote-endpoint.ts";

/** One such item, and why nothing acts on it. */
interface IdleItem {
  readonly name: string;
  readonly why: string;
}

/** Items that act only with others. */
interface Dependency {
  /** Names of the items, or the beginning of their names. */
  readonly items: readonly ConfigName[] | `${string}.`;
  /** Those of them that act all the same. */
  readonly except?: readonly ConfigName[];
  readonly acts: (values: ConfigValues) => boolean;
  readonly why: string;
}

const BACKENDS: readonly string[] = itemNamed("database.type").choices ?? [];
const OF_ONE_PROCESS: readonly (string | undefined)[] = ["local", "mem"];
const STREAMS: readonly string[] = ["-", "="];

function signsIn(values: ConfigValues): boolean {
  return values["authorizer.oidc.issuers"].some((issuer) => issuer.sign_in);
}

const DEPENDENCIES: readonly Dependency[] = [
  {
    items: "authorizer.replication.",
    acts: (values) => !OF_ONE_PROCESS.includes(values["database.type"]),
    why: "it is for a database that nodes share, and database.type is local or mem",
  },
  {
    items: ["authorizer.history.revocations"],
    acts: (values) => values["database.type"] === "local",
    why: "database.type is not local",
  },
  {
    items: ["authorizer.tls.cert_file", "authorizer.tls.key_file"],
    acts: (values) => values["authorizer.tls.enabled"],
    why: "authorizer.tls.enabled is false: the service listener does not speak TLS",
  },
  {
    items: ["tls.cert_file", "tls.key_file"],
    acts: (values) => values["tls.enabled"],
    why: "tls.enabled is false: the user listener does not speak TLS",
  },
  {
    items: ["authorizer.datasets_mode"],
    acts: (values) => values["authorizer.datasets"].length > 0,
    why: "authorizer.datasets names no file",
  },
  {
    items: ["authorizer.decision_log.mask"],
    acts: (values) =>
      values["authorizer.decision_log.include"] !== "none" ||
      values["authorizer.shadow.candidate"] !== undefined,
    why: "authorizer.decision_log.include is none, and authorizer.shadow.candidate is not set: traces alone, where there are some, leave out what it names",
  },
  {
    items: "authorizer.decision_log.",
    // What was used last is kept in that folder, too.
    except: [
      "authorizer.decision_log.include",
      "authorizer.decision_log.directory",
      "authorizer.decision_log.mask",
    ],
    acts: (values) => values["authorizer.decision_log.include"] !== "none",
    why: "authorizer.decision_log.include is none",
  },
  {
    items: ["authorizer.decision_log.sink_token"],
    acts: (values) => values["authorizer.decision_log.sinks"].length > 0,
    why: "authorizer.decision_log.sinks names none",
  },
  {
    items: ["authorizer.audit.keep", "authorizer.audit.sinks"],
    acts: (values) => values["authorizer.audit.directory"] !== undefined,
    why: "authorizer.audit.directory is not set: no records of the audit log are kept",
  },
  {
    items: ["authorizer.audit.sink_token"],
    acts: (values) => values["authorizer.audit.sinks"].length > 0,
    why: "authorizer.audit.sinks names none",
  },
  {
    items: ["authorizer.shadow.share"],
    acts: (values) => values["authorizer.shadow.candidate"] !== undefined,
    why: "authorizer.shadow.candidate is not set",
  },
  {
    items: [
      "authorizer.forward_auth.body",
      "authorizer.forward_auth.preflight",
      "authorizer.forward_auth.proxy_token",
    ],
    acts: (values) =>
      values["authorizer.forward_auth.proxy"] !== "off" ||
      values["authorizer.ext_authz.listen_address"] !== undefined,
    why: "authorizer.forward_auth.proxy is off",
  },
  {
    items: "authorizer.exchange.",
    acts: (values) =>
      values["authorizer.forward_auth.proxy"] !== "off" ||
      values["authorizer.ext_authz.listen_address"] !== undefined,
    why: "authorizer.forward_auth.proxy is off",
  },
  {
    items: "authorizer.exchange.",
    except: [
      "authorizer.exchange.access_key_id",
      "authorizer.exchange.secret_access_key",
      "authorizer.exchange.secret_access_key_file",
      "authorizer.exchange.streaming_address",
      "authorizer.exchange.upstream",
    ],
    acts: (values) => values["authorizer.exchange.access_key_id"] !== undefined,
    why: "authorizer.exchange.access_key_id is not set",
  },
  {
    items: "authorizer.mirroring.",
    acts: hasMirroring,
    why: "authorizer.mirroring.regions names no region",
  },
  {
    items: ["authorizer.exchange.name_in_metadata"],
    acts: (values) => values["authorizer.exchange.streaming_address"] !== undefined,
    why: "authorizer.exchange.streaming_address is not set",
  },
  {
    items: "auth.remote_authenticator.",
    except: ["auth.remote_authenticator.enabled", "auth.remote_authenticator.default_user_group"],
    acts: (values) => values["auth.remote_authenticator.enabled"],
    why: "auth.remote_authenticator.enabled is false",
  },
  {
    items: "auth.remote_authenticator.",
    except: ["auth.remote_authenticator.default_user_group"],
    acts: (values) => !values["auth.remote_authenticator.enabled"] || remoteEndpoint(values) !== undefined,
    why: "auth.remote_authenticator.endpoint is not set, or is an address of this service",
  },
  {
    items: ["auth.authentication_api.endpoint"],
    acts: (values) => values["auth.authentication_api.external_principals_enabled"],
    why: "auth.authentication_api.external_principals_enabled is false",
  },
  {
    items: "auth.authentication_api.",
    acts: (values) =>
      !values["auth.authentication_api.external_principals_enabled"] ||
      principalEndpoint(values) !== undefined,
    why: "auth.authentication_api.endpoint is not set, is no https URL (http on this machine), or is an address of this service",
  },
  {
    items: "authorizer.aws_iam.",
    except: ["authorizer.aws_iam.enabled"],
    acts: (values) => values["authorizer.aws_iam.enabled"],
    why: "authorizer.aws_iam.enabled is false",
  },
  {
    items: "authorizer.authentication_api.",
    except: ["authorizer.authentication_api.enabled"],
    acts: (values) => values["authorizer.authentication_api.enabled"],
    why: "authorizer.authentication_api.enabled is false",
  },
  {
    items: "authorizer.ldap.",
    except: ["authorizer.ldap.url"],
    acts: (values) => values["authorizer.ldap.url"] !== undefined,
    why: "authorizer.ldap.url is not set: nobody signs in with LDAP",
  },
  {
    items: "authorizer.passwords.",
    except: ["authorizer.passwords.enabled"],
    acts: (values) => values["authorizer.passwords.enabled"],
    why: "authorizer.passwords.enabled is false",
  },
  {
    items: ["authorizer.sts.users"],
    acts: (values) =>
      values["authorizer.sts.enabled"] ||
      values["authorizer.oidc.issuers"].some(({ required_claims }) => required_claims.size > 0),
    why: "authorizer.sts.enabled is false, and no issuer has required_claims: no token is exchanged",
  },
  {
    items: ["auth.oidc.validate_id_token_claims"],
    acts: (values) =>
      signsIn(values) || values["auth.ui_config.login_cookie_names"].includes("oidc_auth_session"),
    why: "auth.ui_config.login_cookie_names does not name oidc_auth_session, and nobody signs in by authorizer.oidc.issuers",
  },
  {
    items: [
      "authorizer.sign_in.origins",
      "auth.oidc.friendly_name_claim_name",
      "auth.oidc.default_initial_groups",
      "auth.oidc.initial_groups_claim_name",
      "auth.oidc.persist_friendly_name",
    ],
    acts: signsIn,
    why: "no issuer of authorizer.oidc.issuers has sign_in: true",
  },
  {
    items: [
      "auth.cookie_auth_verification.validate_id_token_claims",
      "auth.cookie_auth_verification.external_user_id_claim_name",
    ],
    acts: (values) => values["auth.ui_config.login_cookie_names"].includes("saml_auth_session"),
    why: "auth.ui_config.login_cookie_names does not name saml_auth_session",
  },
  {
    items: ["auth.cache.size", "auth.cache.ttl", "auth.cache.jitter"],
    acts: (values) => values["auth.cache.enabled"],
    why: "auth.cache.enabled is false",
  },
  {
    items: ["logging.files_keep", "logging.file_max_size_mb"],
    acts: (values) => values["logging.output"].some((path) => !STREAMS.includes(path)),
    why: "logging.output names no file",
  },
  {
    items: "email.",
    except: ["email.smtp_host"],
    acts: (values) => values["email.smtp_host"] !== undefined,
    why: "email.smtp_host is not set: no mail is sent",
  },
];

/** Beginning of the data server's items by which it makes users of session cookies, and might be thought to make them here. */
export const SIGN_IN = "auth.cookie_auth_verification.";
/** The reason why those do not act. */
export const SIGN_IN_WHY =
  "it is for users that the data server makes of session cookies; forward-auth makes none, and changes none, of a cookie";

/** The items of the data server that a source sets, and that nothing in this service takes the place of. */
function idleSignIn(origins: Origins): readonly IdleItem[] {
  return DATA_SERVER_ITEMS.filter(
    ({ name }) => name.startsWith(SIGN_IN) && (origins.get(name)?.kind ?? "default") !== "default",
  ).map(({ name }) => ({ name, why: SIGN_IN_WHY }));
}

/**
 * Returns the items that a source sets and that nothing acts on: of this service, and of signing in. Items of a `database.<type>` section count
 * only where that type is chosen: the others of a shared file are idle anyway.
 */
export function idleItems(values: ConfigValues, origins: Origins): readonly IdleItem[] {
  const own = CONFIG_ITEMS.flatMap(({ name, acts }) => {
    const [section, backend = ""] = name.split(".");
    const elsewhere =
      section === "database" && BACKENDS.includes(backend) && backend !== values["database.type"];
    if (elsewhere || (origins.get(name)?.kind ?? "default") === "default") return [];
    if (acts.startsWith("no: ")) return [{ name, why: acts.slice("no: ".length) }];
    const lacking = DEPENDENCIES.find((one) => isOf(one, name) && !one.acts(values));
    return lacking === undefined ? [] : [{ name, why: lacking.why }];
  });
  return [...own, ...idleSignIn(origins)];
}

function isOf({ items, except = [] }: Dependency, name: ConfigName): boolean {
  if (except.includes(name)) return false;
  return typeof items === "string" ? name.startsWith(items) : items.includes(name);
}
