/** Configuration items that this service shares with the data server: general. */
import type { ConfigItem } from "../item.ts";

/** General. */
export const GENERAL_ITEMS = [
  {
    name: "listen_address",
    type: "string",
    default: "0.0.0.0:8000",
    acts: "yes",
    check: "listen address",
    meaning: "Host and port the server listens on",
  },
  {
    name: "ui.enabled",
    type: "bool",
    default: true,
    acts: "yes",
    meaning: "Serve the console, the web interface, on the user listener",
  },
  {
    name: "security.audit_check_interval",
    type: "duration",
    default: "24h",
    acts: "no: this version has no security audit check",
    meaning: "How often the security audit check runs",
  },
  {
    name: "tls.enabled",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "Serve HTTPS on the listen address",
  },
  {
    name: "tls.cert_file",
    type: "string",
    default: null,
    acts: "yes",
    path: "file",
    meaning: "Server certificate file",
  },
  {
    name: "tls.key_file",
    type: "string",
    default: null,
    acts: "yes",
    path: "file",
    meaning: "Private key file",
  },
  {
    name: "installation.user_name",
    type: "string",
    default: null,
    acts: "yes",
    meaning: "First administrator, created at the first start; read only with database.type local",
  },
  {
    name: "installation.access_key_id",
    type: "string",
    default: null,
    acts: "yes",
    meaning: "Access key id of that administrator",
  },
  {
    name: "installation.secret_access_key",
    type: "string",
    default: null,
    acts: "yes",
    secret: true,
    meaning: "Secret access key of that administrator",
  },
  {
    name: "gateways.s3.domain_name",
    type: "strings",
    default: "s3.localhost",
    acts: "in part: tells S3 requests from others in forward-auth and `/access/v1/request`; this service has no S3 gateway of its own",
    meaning:
      "Host names under which S3 clients reach the data server; s3.localhost and its subdomains resolve to loopback",
  },
  {
    name: "gateways.s3.region",
    type: "string",
    default: "us-east-1",
    acts: "in part: the region that the signatures of S3 requests must name",
    meaning: "Region the gateway reports",
  },
] as const satisfies readonly ConfigItem[];
