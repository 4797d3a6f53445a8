/** The items of the exchange: the one key of a data server behind forward-auth. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.exchange`. */
export const EXCHANGE_ITEMS = [
  {
    name: "authorizer.exchange.access_key_id",
    type: "string",
    default: null,
    acts: "yes",
    meaning:
      "Id of the one access key that the data server knows; forward-auth then answers with this key's credential",
  },
  {
    name: "authorizer.exchange.secret_access_key",
    type: "string",
    default: null,
    secret: true,
    acts: "yes",
    meaning: "Its secret",
  },
  {
    name: "authorizer.exchange.secret_access_key_file",
    type: "string",
    default: null,
    secret: true,
    path: "file",
    acts: "yes",
    meaning: "File whose first line is its secret, in place of secret_access_key",
  },
  {
    name: "authorizer.exchange.region",
    type: "string",
    default: null,
    defaultNote: "`gateways.s3.region`",
    acts: "yes",
    meaning: "Region in the signatures that the data server gets",
  },
  {
    name: "authorizer.exchange.presigned",
    type: "choice",
    choices: ["in_place", "rewrite", "refuse"],
    default: "in_place",
    acts: "yes",
    meaning:
      "Presigned URLs: keep their query (the data server takes them for 15 minutes), sign them anew without it (nginx), or refuse them",
  },
  {
    name: "authorizer.exchange.streaming_address",
    type: "string",
    default: null,
    check: "listen address",
    acts: "yes",
    meaning:
      "Host and port of the streaming listener, which passes uploads on whose body is signed in chunks; unset: they are refused. It takes the TLS of the service listener",
  },
  {
    name: "authorizer.exchange.upstream",
    type: "string",
    default: null,
    check: "upstream url",
    acts: "yes",
    meaning: "URL of the data server, to which the streaming listener sends requests",
  },
  {
    name: "authorizer.exchange.name_in_metadata",
    type: "string",
    default: "svc.user",
    check: "metadata key",
    acts: "yes",
    meaning:
      "Key of metadata under which the streaming listener writes the caller's name into commits, merges and staged objects; off: it does not",
  },
] as const satisfies readonly ConfigItem[];
