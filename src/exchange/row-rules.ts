/**
 * Rows that are refused, or need more, where a data server knows one key: that key is an administrator, and the data
 * server does on the way what it may (spec/exchange §4). Holds whatever policies say.
 */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import type { RequiredOnSets, ResourceSet } from "@svc-authorizer/policy/model/resource-set.ts";
import type { RowRule, RowRules } from "../decisions/requests.ts";
import type { MatchedRequest } from "../request-map/endpoints.ts";

/** Paths of the main API about users and sign-in: the data server has one user, who may do everything there. */
const OF_ONE_USER = ["/auth/", "/setup", "/sts/", "/oidc/", "/user"];
/** Rows by which content or history arrives that nobody has decided about key by key. */
const UNSEEN_CONTENT: ReadonlyMap<string, string> = new Map([
  ["importStart", "an import may bring hooks"],
  ["CreateCommitRecord", "a commit record may name any author and any content"],
  ["restoreRefs", "restored refs may bring hooks"],
  ["restoreSubmit", "restored refs may bring hooks"],
]);
/** Rows whose body names an address in the object store, which the data server reads with rights of its own. */
const BY_ADDRESS: ReadonlySet<string> = new Set(["stageObject", "linkPhysicalAddress"]);
const WRITE = "fs:WriteObject";
const IMPORT_FROM_STORAGE = "fs:ImportFromStorage";
/** Folder of the hooks of a repository. They run as the one administrator at the next commit or merge. */
const HOOKS = "_lakefs_actions/";
const OBJECT = "/object/";
const REPOSITORY = "repository/";

/** Builds the rules from the permission tables. */
export function openRowRules({ endpoints }: Pick<Catalog, "endpoints">): RowRules {
  const rows = endpoints.get("main")?.rows ?? [];
  const ofOneUser = new Set(
    rows
      .filter(({ path }) => OF_ONE_USER.some((start) => path?.startsWith(start)))
      .map((row) => row.operation),
  );
  const known = new WeakMap<MatchedRequest, RowRule>();
  return (match, api) => {
    let rule = known.get(match);
    if (rule === undefined) {
      rule = ruleOf(match, api, ofOneUser);
      known.set(match, rule);
    }
    return rule;
  };
}

function ruleOf(match: MatchedRequest, api: string, ofOneUser: ReadonlySet<string>): RowRule {
  const { operation } = match;
  if (api === "replication") {
    return { match, refused: "a data server with one user has no replication API" };
  }
  if (api === "main" && ofOneUser.has(operation)) {
    return { match, refused: "users and sign-in are svc-authorizer's, not the data server's" };
  }
  const unseen = api === "main" ? UNSEEN_CONTENT.get(operation) : undefined;
  if (unseen !== undefined) return { match, everything: unseen };
  const needs = match.required === null ? [] : leavesOf(match.required);
  if (needs.some(isHookWrite)) return { match, everything: `keys below ${HOOKS} are hooks` };
  if (api === "main" && BY_ADDRESS.has(operation)) return { match: withStorage(match, needs) };
  return { match };
}

type Leaf = Extract<RequiredOnSets, { readonly action: string }>;

function leavesOf(tree: RequiredOnSets): readonly Leaf[] {
  if ("action" in tree) return [tree];
  if ("any_resource" in tree) return [];
  return ("and" in tree ? tree.and : tree.or).flatMap(leavesOf);
}

/** True if the leaf may be about a key in the folder of the hooks. What is not known may be. */
function isHookWrite({ action, resource }: Leaf): boolean {
  if (action !== WRITE) return false;
  const [first, ...others] = resource.parts;
  // A repository may be called "object": its name ends at the first slash.
  const at = first.indexOf("/", first.indexOf(REPOSITORY) + REPOSITORY.length);
  if (at < 0 || !first.startsWith(OBJECT, at)) return others.length > 0;
  const key = first.slice(at + OBJECT.length).replace(/^\/+/, "");
  return key.startsWith(HOOKS) || (others.length > 0 && HOOKS.startsWith(key));
}

/** The row, with the right to import from every namespace: the body that names the address is not seen. */
function withStorage(match: MatchedRequest, needs: readonly Leaf[]): MatchedRequest {
  const [first = ""] = needs[0]?.resource.parts ?? [];
  const beginning = first.slice(0, first.indexOf(REPOSITORY));
  const everywhere: ResourceSet = { parts: [`${beginning}namespace/`, ""] };
  const storage: RequiredOnSets = { action: IMPORT_FROM_STORAGE, resource: everywhere };
  return { ...match, required: { and: [...needs, storage] } };
}
