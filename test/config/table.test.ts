import { problemSink } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { rawFromJs, rawFromText } from "@svc-authorizer/policy/source-files/configuration/raw-value.ts";
import { describe, expect, it } from "vitest";
import { UNCHECKED_NAMES } from "../../src/config/data-server-items.ts";
import { configFromObject } from "../../src/config/load.ts";
import { ALL_ITEMS, findItem, variableOf } from "../../src/config/table.ts";
import { parseValue } from "../../src/config/values/parse-value.ts";
import { readFixture } from "../read-fixture.ts";
import { KEY } from "./config-folder.ts";

interface ReferenceItem {
  readonly name: string;
  readonly type: string;
  readonly default: unknown;
  readonly env: string;
}

const REFERENCE_ITEMS = readFixture<readonly ReferenceItem[]>("config/reference-items.json");

const BASE = { home: "/home/someone", folder: "/srv/svc" };
const NAMES = ALL_ITEMS.map((item) => item.name);

/** Types of the reference that differ from those of the table on purpose. */
const WIDER_TYPES = new Map([
  ["logging.output", "strings"],
  ["gateways.s3.domain_name", "strings"],
  ["database.type", "one of postgres, dynamodb, cosmosdb, local, mem"],
  ["auth.cookie_auth_verification.persist_friendly_name", "one of true, false"],
  ["auth.oidc.persist_friendly_name", "one of true, false"],
]);

/** Defaults that the reference describes instead of writing them down: here a name that resolves to loopback. */
const DESCRIBED_DEFAULTS = new Map([["gateways.s3.domain_name", "s3.localhost"]]);

function referenceTypeOf(name: string): string {
  const { type, choices } = findItem(name) ?? { type: "absent" };
  if (choices !== undefined) return `one of ${choices.join(", ")}`;
  if (type === "map") return "map[string]string";
  return type === "strings" && !WIDER_TYPES.has(name) ? "[]string" : type;
}

describe("the table", () => {
  it("has all 159 items of the reference with their types, defaults and variables", () => {
    expect(REFERENCE_ITEMS).toHaveLength(159);
    for (const reference of REFERENCE_ITEMS) {
      const item = findItem(reference.name);
      expect({ name: reference.name, default: item?.default, type: referenceTypeOf(reference.name) }).toEqual(
        {
          name: reference.name,
          default: DESCRIBED_DEFAULTS.get(reference.name) ?? reference.default,
          type: WIDER_TYPES.get(reference.name) ?? reference.type,
        },
      );
      expect(variableOf(reference.name)).toBe(reference.env);
    }
  });

  it("has no item but those of the reference and of the authorizer section", () => {
    const documented = new Set(REFERENCE_ITEMS.map((item) => item.name));
    // The reference names them on another page than its other items, or in its own configuration alone.
    for (const name of ["ui_config.login_cookie_names", "ui_config.login_url", "logout_redirect_url"])
      documented.add(`auth.${name}`);
    // Second names, which the data server understands too.
    for (const name of ["region", "profile", "access_key_id", "secret_access_key"]) {
      documented.add(`database.dynamodb.aws_${name}`);
    }
    expect(NAMES.filter((name) => !documented.has(name) && !name.startsWith("authorizer."))).toEqual([]);
  });

  it("takes the items of DynamoDB by either name, and prefers cloud_ to aws_", () => {
    const base = { "auth.encrypt.secret_key": KEY, "database.type": "dynamodb" };
    const aws = configFromObject({ ...base, "database.dynamodb.aws_region": "eu-1" });
    expect(aws.values["database.dynamodb.cloud_region"]).toBe("eu-1");
    const both = configFromObject({
      ...base,
      "database.dynamodb.aws_region": "eu-1",
      "database.dynamodb.cloud_region": "eu-2",
    });
    expect(both.values["database.dynamodb.cloud_region"]).toBe("eu-2");
  });

  it("has every item of the authorizer section with its default", () => {
    const { values } = configFromObject({ "auth.encrypt.secret_key": KEY, "database.type": "mem" });
    const section = Object.fromEntries(
      Object.entries(values).filter(([name]) => name.startsWith("authorizer.")),
    );
    expect(section).toEqual(AUTHORIZER_DEFAULTS);
  });

  it("names every item and every variable once, and no item like a section", () => {
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(new Set(NAMES.map(variableOf)).size).toBe(NAMES.length);
    expect(NAMES.filter((name) => NAMES.some((other) => other.startsWith(`${name}.`)))).toEqual([]);
    expect(UNCHECKED_NAMES.filter((name) => findItem(name) !== undefined)).toEqual([]);
  });

  it("parses every default, in a file's notation and as the text of a variable", () => {
    for (const item of ALL_ITEMS) {
      if (item.default === null) continue;
      const sink = problemSink();
      const value = parseValue(item, rawFromJs(item.default, {}), BASE, sink);
      expect(sink, item.name).toEqual(problemSink());
      expect(value, item.name).toBeDefined();
      const text = Array.isArray(item.default) ? item.default.join(",") : String(item.default);
      if (text !== "") expect(parseValue(item, rawFromText(text, {}), BASE, sink), item.name).toEqual(value);
    }
  });

  it("uses no variable that Kubernetes injects for a service named svc or svc-authorizer", () => {
    const injected = ["HOST", "PORT", "PORT_8001_TCP", "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP"];
    const names = new Set(NAMES.map(variableOf));
    for (const suffix of injected) {
      expect(names.has(`SVC_${suffix}`)).toBe(false);
      expect(names.has(`SVC_AUTHORIZER_${suffix}`)).toBe(false);
    }
  });

  it("marks what holds a secret by its name as secret", () => {
    const telling = NAMES.filter((name) =>
      /password|secret|token$|tokens$|storage_access_key|_json$/.test(
        // Rules for passwords are none, nor is the path of a file with one.
        name.replace(/^authorizer\.passwords\.|\.\w+_file$/, ""),
      ),
    );
    expect(telling.filter((name) => findItem(name)?.secret !== true)).toEqual([]);
  });
});

const AUTHORIZER_DEFAULTS = {
  "authorizer.ldap.url": undefined,
  "authorizer.ldap.title": "LDAP",
  "authorizer.ldap.start_tls": false,
  "authorizer.ldap.ca_file": undefined,
  "authorizer.ldap.bind_dn": undefined,
  "authorizer.ldap.bind_password": undefined,
  "authorizer.ldap.bind_password_file": undefined,
  "authorizer.ldap.user_base_dn": undefined,
  "authorizer.ldap.user_filter": "(objectClass=person)",
  "authorizer.ldap.username_attribute": "uid",
  "authorizer.ldap.external_id_attribute": "entryUUID",
  "authorizer.ldap.group_base_dn": undefined,
  "authorizer.ldap.group_filter": "(member={dn})",
  "authorizer.ldap.group_name_attribute": "cn",
  "authorizer.ldap.assert_groups": [],
  "authorizer.ldap.create_users": false,
  "authorizer.ldap.directory_users": false,
  "authorizer.ldap.timeout": 5_000,
  "authorizer.passwords.enabled": false,
  "authorizer.passwords.linked_users": false,
  "authorizer.passwords.min_length": 15,
  "authorizer.passwords.breached_list_file": undefined,
  "authorizer.passwords.concurrency": 1,
  "authorizer.listen_address": "127.0.0.1:8001",
  "authorizer.user_listen_address": "0.0.0.0:8000",
  "authorizer.metrics_address": "127.0.0.1:8002",
  "authorizer.workers": "1",
  "authorizer.check_pages": true,
  "authorizer.http_shortcuts": true,
  "authorizer.tls.enabled": false,
  "authorizer.tls.cert_file": undefined,
  "authorizer.tls.key_file": undefined,
  "authorizer.tls.client_ca_file": undefined,
  "authorizer.public_url": undefined,
  "authorizer.insecure_listen": false,
  "authorizer.replication.path": undefined,
  "authorizer.replication.poll_interval": 250,
  "authorizer.replication.max_staleness": 300_000,
  "authorizer.replication.commit_timeout": 5_000,
  "authorizer.replication.create_log": true,
  "authorizer.replication.checkpoint_every": 10_000,
  "authorizer.history.keep": 2_592_000_000,
  "authorizer.history.revocations": undefined,
  "authorizer.ext_authz.listen_address": undefined,
  "authorizer.shadow.candidate": undefined,
  "authorizer.shadow.share": 1,
  "authorizer.usage.interval": 300_000,
  "authorizer.oidc.issuers": [],
  "authorizer.aws_iam.enabled": false,
  "authorizer.aws_iam.max_age": 900_000,
  "authorizer.aws_iam.server_id": undefined,
  "authorizer.aws_iam.sts_hosts": ["sts.amazonaws.com", "sts.<region>.amazonaws.com"],
  "authorizer.authentication_api.enabled": false,
  "authorizer.authentication_api.sts_redirect_uris": [],
  "authorizer.authentication_api.trusted_servers": [],
  "authorizer.sts.enabled": false,
  "authorizer.sts.users": [],
  "authorizer.sign_in.origins": [],
  "authorizer.sign_in.order": [],
  "authorizer.scim.replace_without_match": "add",
  "authorizer.scim.unknown_extensions": "ignore",
  "authorizer.scim.protected_groups": ["Admins"],
  "authorizer.shutdown_delay": 0,
  "authorizer.subjects.types": ["user"],
  "authorizer.subjects.unknown": "deny",
  "authorizer.decision_log.compress": true,
  "authorizer.decision_log.directory": undefined,
  "authorizer.decision_log.include": "none",
  "authorizer.decision_log.items": 1000,
  "authorizer.decision_log.keep": 7776000000,
  "authorizer.decision_log.mask": [],
  "authorizer.decision_log.max_bytes": 10737418240,
  "authorizer.decision_log.segment_age": 86400000,
  "authorizer.decision_log.segment_bytes": 67108864,
  "authorizer.decision_log.sink_token": undefined,
  "authorizer.decision_log.sinks": [],
  "authorizer.decision_log.sync": "interval",
  "authorizer.decision_log.when_full": "drop",
  "authorizer.node_name": undefined,
  "authorizer.audit.output": undefined,
  "authorizer.audit.decisions": "none",
  "authorizer.audit.directory": undefined,
  "authorizer.audit.keep": 0,
  "authorizer.audit.sinks": [],
  "authorizer.audit.sink_token": undefined,
  "authorizer.allow_weak_key": false,
  "authorizer.previous_secret_key": undefined,
  "authorizer.partition": "svc",
  "authorizer.bootstrap": "none",
  "authorizer.bootstrap_admin.username": undefined,
  "authorizer.bootstrap_admin.access_key_id": undefined,
  "authorizer.bootstrap_admin.secret_access_key": undefined,
  "authorizer.datasets": [],
  "authorizer.datasets_mode": "load",
  "authorizer.guards": "strict",
  "authorizer.effective_policies": "portable",
  "authorizer.request_properties": "fill",
  "authorizer.escalation": "warn",
  "authorizer.trusted_proxies": ["loopback"],
  "authorizer.exchange.name_in_metadata": "svc.user",
  "authorizer.exchange.presigned": "in_place",
  "authorizer.mirroring.scan_interval": 60_000,
  "authorizer.mirroring.verify_interval": 10_000,
  "authorizer.mirroring.recheck": 0,
  "authorizer.mirroring.recheck_missing": 600_000,
  "authorizer.mirroring.external_objects": "report",
  "authorizer.forward_auth.preflight": "deny",
  "authorizer.forward_auth.proxy": "off",
  "authorizer.forward_auth.body": "every_resource",
  "authorizer.forward_auth.max_failures": { count: 20, intervalMs: 60_000 },
  "authorizer.forward_auth.proxy_token": undefined,
  "authorizer.tokens": [],
  "authorizer.limits.queue": 1000,
  "authorizer.limits.body_bytes": 1024 ** 2,
  "authorizer.limits.bulk_body_bytes": 16 * 1024 ** 2,
  "authorizer.limits.bulk_concurrency": 4,
  "authorizer.limits.batch": 1000,
  "authorizer.limits.headers_bytes": 16 * 1024,
  "authorizer.limits.request_timeout": 30_000,
  "authorizer.limits.arn_bytes": 4096,
  "authorizer.limits.action_bytes": 256,
  "authorizer.limits.policy_bytes": 100 * 1024,
  "authorizer.limits.statements_per_policy": 1000,
  "authorizer.limits.policies_per_user": 10_000,
  "authorizer.limits.tree_nodes": 1000,
  "authorizer.limits.work": 2_000_000_000,
  "authorizer.limits.json_depth": 32,
  "authorizer.limits.json_values": 500_000,
  "authorizer.limits.bodies_bytes": 64 * 1024 ** 2,
  "authorizer.limits.answers_bytes": 128 * 1024 ** 2,
  "authorizer.limits.trusted_answers_bytes": 256 * 1024 ** 2,
  "authorizer.limits.connections": 0,
  "authorizer.limits.connections_per_address": 0,
  "authorizer.limits.anonymous_body_timeout": 5_000,
};
