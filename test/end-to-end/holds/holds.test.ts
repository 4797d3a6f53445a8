/**
 * No request holds the service (spec/security §5.3): every operation that the documents declare is called for a user with very
 * many statements, and every member that takes many values is filled to its limit. A new operation, or a new list, is among
 * them by being declared.
 *
 * Where documents are parsed, checked, compared and applied, policies simulated, or resources filtered in one turn (`TURN_MS`
 * of the scheduler at 4,000), the small form finds it. Only `PROVE=1`, with ten times the statements and values, every parameter
 * and both listeners, finds it of everything else, but of decisions, plans and searches, which `hostile.test.ts` holds to turns.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole, report, sized } from "../../proofs/size.ts";
import { asked, callOf, entrances, placesToFill } from "./chosen-entrances.ts";
import { type Entrance, type ManyPlace, nameOf, placeName } from "./entrances.ts";
import { fillable, validOf } from "./fill.ts";
import { type Asked, ENDLESS, type HeavyService, startHeavy } from "./heavy-service.ts";
import { LISTS_IN_TEXTS } from "./lists-in-texts.ts";
import { NESTED_DOCUMENTS } from "./nested-documents.ts";
import { PROXY_ENTRANCES } from "./proxy-entrances.ts";

const STATEMENTS = sized(5_000, 50_000);
const MAX_HOLD_MS = sized(90, 100);
/** Times that a request is sent until its hold is short enough; in between, the caches are emptied. */
const TRIES = 3;

/** Values and bytes to begin with; what the service refuses is tried with fewer. */
const MOST_VALUES = sized(10_000, 100_000);
const MOST_BYTES = sized(2 << 20, 17 << 20);
/** Times as many values, so that a run that is not whole sees it where the work on them is not in turns. */
const LARGER: ReadonlyMap<string, number> = new Map(
  isWhole ? [] : [["filter resources[]", 10] as const, ["simulate candidate.replace[]", 4] as const],
);
const LARGER_REFUSED = sized(4, 1);
/** Values that are explained, which a thread does. */
const MOST_EXPLAINED = sized(100, MOST_VALUES);
/** Values of lists inside of entries that are also applied: each of their names is asked for alone. */
const MOST_NESTED = sized(60, 100_000);
/** Values of the same limit that a body has besides, and bytes. */
const ROOM = 2;
const BYTES_BESIDE = 2_000;

/** Halvings of a number of values that is refused, unless the refusal says how many are not; texts may be refused for what they say. */
const HALVINGS = sized(2, 1);
const HALVINGS_OF_TEXTS = sized(6, 3);

/** Values of lists in a query: more than a request line may have, and fewer. */
const TEXT_COUNTS = isWhole ? [20_000, 2_500, 300] : [2_500, 300];
/** Characters of a query that are shown. */
const SHOWN = 40;

/** Operations that do not succeed here, and why. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ["claimTokenId", "the token of the example has expired"],
  ["externalPrincipalLogin", "the service does not implement it"],
  ["getDecision", "no record has the id of the example"],
  ["getAuditRecord", "no record has the id of the example"],
  ["suggestPolicies", "too many decisions were recorded"],
  ["reviewAccess", "too many uses were counted"],
  ["getShadowReport", "there is no candidate"],
  ["setup", "it is over"],
  ["setupShort", "it is over"],
  ["getPolicyVersion", "the revision of the example is another entity's"],
  ["restorePolicy", "the revision of the example is another entity's"],
  ["getGroupACL", "the group has many policies"],
  ["showInvitation", "the token of the example is none"],
  ["redeemInvitation", "the token of the example is none"],
  ["assumeRoleWithWebIdentity", "no issuer is configured"],
  ["assumeRoleWithWebIdentityBelow", "no issuer is configured"],
  ["beginSignIn", "no issuer is configured"],
  ["finishSignIn", "no issuer is configured"],
  ["stsLogin", "no issuer is configured"],
  ["signInByForm", "no page of this origin sends the form"],
  ["answerDevice", "the page of the example was not opened"],
  ["getToken", "the code of the example has expired"],
  ["changePassword", "users have no passwords here"],
  ["remoteLogin", "the password of the example is nobody's"],
  ["forgotPassword", "no mail server is configured"],
  ["resetPassword", "no mail server is configured"],
  ["showReset", "the token of the example is none"],
  ["redeemReset", "the token of the example is none"],
  ["leaveDataServerPage", "it is served with an exchange alone"],
  ["createMirror", "the data server does not answer"],
  ["listMirrors", "the data server does not answer"],
  ["getMirror", "there is no mirror"],
  ["editMirroredBranches", "there is no mirror"],
]);

let service: HeavyService;
beforeAll(async () => {
  service = await startHeavy(STATEMENTS);
});
afterAll(() => service?.end());

interface Measured {
  readonly name: string;
  readonly status: number;
  readonly count: number;
  readonly holdMs: number;
  readonly text: string;
}

/** True if the whole request was read and decided: also where what it creates is there already. */
const isAnswer = ({ status }: { readonly status: number }): boolean =>
  (status >= 200 && status < 300) || status === 409;

async function measured(name: string, asked: Asked, count: number): Promise<Measured> {
  let least: Measured | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const { status, text } = await service.send(asked);
    const holdMs = await service.longestHold();
    if (least === undefined || holdMs < least.holdMs) least = { name, status, count, holdMs, text };
    if (holdMs <= MAX_HOLD_MS) break;
    report(`${name}, ${count} values, ${status}: held ${holdMs.toFixed(0)} ms`);
    await service.makeCold();
  }
  return least as Measured;
}

/** Names a place at either listener. */
const idOf = ({ operation }: Entrance, place: ManyPlace): string =>
  `${operation.operationId} ${placeName(place)}`;

/** Fills a place to its limit: with what is refused first, and then with as much as is answered. */
async function filled(
  entrance: Entrance,
  place: ManyPlace,
  query: string,
  isValid: (body: unknown) => boolean,
  most = MOST_VALUES,
): Promise<Measured[]> {
  const name = `${nameOf(entrance)}${query} ${placeName(place)}`;
  const body = fillable(entrance, place, isValid);
  const found: Measured[] = [];
  const larger = LARGER.get(idOf(entrance, place)) ?? 1;
  let count = Math.min(most * larger, Math.floor((MOST_BYTES * larger) / body.bytesEach));
  while (count > 0) {
    const one = await measured(name, { entrance, query, body: body.with(count) }, count);
    found.push(one);
    if (isAnswer(one)) break;
    const next = fewer(count, body.bytesEach, one.text);
    count = next < count ? next : count >> (place.kind === "text" ? HALVINGS_OF_TEXTS : HALVINGS);
  }
  return found;
}

/** The number of values that a refusal lets through, as far as it says so. */
function fewer(count: number, bytesEach: number, refusal: string): number {
  const said = /(?:more than|at most|larger than) ([\d,]+)( bytes)?/.exec(refusal);
  if (said === null) return count;
  const most = Number(said[1]?.replaceAll(",", ""));
  return said[2] === undefined ? most - ROOM : Math.floor((most - BYTES_BESIDE) / bytesEach);
}

/** The parameters of the query among some, as texts. */
function queryOf(parameters: Entrance["parameters"]): readonly string[] {
  return parameters
    .filter((one) => one.in === "query")
    .map(({ name, example, schema }) => {
      const value = example ?? (schema.type === "boolean" ? true : (schema.maximum ?? "x"));
      return `${name}=${encodeURIComponent(String(value))}`;
    });
}

/** The queries to try: none, and each parameter alone; the first has what is required. */
function queriesOf({ parameters }: Entrance): readonly string[] {
  const needed = queryOf(parameters.filter(({ required }) => required === true));
  const others = queryOf(parameters.filter(({ required }) => required !== true));
  return [[], ...others.map((one) => [one])].map((some) => {
    const all = [...needed, ...some];
    return all.length === 0 ? "" : `?${all.join("&")}`;
  });
}

/** The queries in which one parameter is a list in a text: too long a line first, then one that is read. */
function textQueriesOf({ parameters }: Entrance): readonly (readonly [query: string, count: number])[] {
  const needed = queryOf(parameters.filter(({ required }) => required === true));
  return parameters
    .filter((one) => one.in === "query" && one.schema.type === "string" && one.schema.enum === undefined)
    .flatMap(({ name }, position) =>
      LISTS_IN_TEXTS.filter((_, list) => isWhole || list === position % LISTS_IN_TEXTS.length).flatMap(
        (made) =>
          TEXT_COUNTS.map((count) => {
            const others = needed.filter((text) => !text.startsWith(`${name}=`));
            const own = `${name}=${encodeURIComponent(made(count))}`;
            return [`?${[...others, own].join("&")}`, count] as const;
          }),
      ),
    );
}

/** Refusals of a request that is too large. */
const TOO_LARGE: readonly number[] = [0, 414, 431];

describe("what proxies ask", () => {
  it.each(PROXY_ENTRANCES)("$name", async (entrance) => {
    const all: { readonly count: number; readonly status: number; readonly holdMs: number }[] = [];
    let status = 0;
    // Some of what is too large is refused as what is forbidden.
    for (let count = entrance.most; count > 0; count >>= 1) {
      let holdMs = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && holdMs > MAX_HOLD_MS; tries++) {
        if (tries > 0) await service.makeCold();
        status = await service.sendOfProxy(entrance, count).catch(() => 0);
        holdMs = Math.min(holdMs, await service.longestHold());
      }
      all.push({ count, status, holdMs });
    }
    report(
      `${entrance.name}: ${all.map((one) => `${one.count} ${one.status} ${one.holdMs.toFixed(0)} ms`).join(", ")}`,
    );
    expect(all.filter(({ holdMs }) => holdMs > MAX_HOLD_MS)).toEqual([]);
    expect(TOO_LARGE).not.toContain(status);
    if (entrance.isAllowed) expect(status).toBe(200);
  });
});

/** The entrance that applies documents. */
const APPLY = entrances.find(({ operation }) => operation.operationId === "apply") as Entrance;

describe("what is applied with long lists inside of its entries", () => {
  it.each(NESTED_DOCUMENTS)(
    "$name",
    async ({ name, bytesEach, of, refused }) => {
      const all: Measured[] = [];
      const apply = async (title: string, count: number, given: object): Promise<Measured> => {
        const body = { manager: "nested", ...given };
        const one = await measured(`${name}, ${title}`, { entrance: APPLY, query: "", body }, count);
        all.push(one);
        return one;
      };
      const larger = refused === undefined ? 1 : LARGER_REFUSED;
      const most = refused === undefined ? MOST_NESTED : MOST_VALUES * larger;
      let count = Math.min(most, Math.floor((MOST_BYTES * larger) / bytesEach));
      // What is given to others is compared with what alice has for as long as it may take: not twice, if few names are.
      for (; count > 0 && (isWhole || refused !== undefined); count >>= 1) {
        const tried = await apply("tried", count, { documents: [of(count)], dry_run: true });
        // A body that is too large is not read.
        if (isAnswer(tried) || (refused !== undefined && tried.status === 400)) break;
      }
      if (refused === undefined) {
        await apply("applied", count, { documents: [of(count)] });
        await apply("applied again", count, { documents: [of(count)] });
        await apply("taken away", count, { documents: [{ format: 1 }], prune: true, yes: true });
      }
      const [longest] = all.toSorted((a, b) => b.holdMs - a.holdMs);
      report(`${longest?.name}: ${longest?.count} values held ${longest?.holdMs.toFixed(0)} ms`);
      expect(all.filter(({ holdMs }) => holdMs > MAX_HOLD_MS)).toEqual([]);
      const statuses = all.slice(-3).map(({ status }) => status);
      // What is applied may take longer than anybody waits here, or the service lets a request take; it is no refusal.
      if (refused === undefined) expect(statuses.filter((one) => ![0, 200, 503].includes(one))).toEqual([]);
      else expect(statuses.at(-1)).toBe(400);
    },
    isWhole ? 1_800_000 : 900_000,
  );
});

// These come last: some of them take away what the others need.
describe("the entrances", () => {
  it("are those of the documents, with their lists", () => {
    const names = entrances.flatMap((one) => one.places.map((place) => `${nameOf(one)} ${placeName(place)}`));
    expect(entrances.length).toBeGreaterThan(130);
    expect(names).toEqual(
      expect.arrayContaining([
        "service POST /access/v1/check required.or[] as 3",
        "service POST /access/v1/evaluations evaluations[]",
        "service POST /access/v1/filter ids[]",
        "user POST /api/v1/auth/apply documents[]",
        "user POST /api/v1/auth/apply documents.0.groups.0.policies[]",
        "user POST /api/v1/auth/apply documents.0.policies.0.statement.0.action[]",
        "user POST /api/v1/auth/apply documents.0.users.0.external_principals[]",
        "user POST /api/v1/auth/apply documents.0.users.0.properties.*[]",
        'service PATCH /scim/v2/Groups/{scimId} Operations.0.path"" as 2',
        "service PATCH /scim/v2/Groups/{scimId} Operations[]",
      ]),
    );
    expect(new Set(asked.map(callOf))).toEqual(new Set(entrances.map(callOf)));
    const filledPlaces = asked.flatMap((one) => placesToFill(one).map((place) => idOf(one, place)));
    expect(filledPlaces).toEqual(expect.arrayContaining([...LARGER.keys()]));
    // A schema says what is in every document.
    expect(names.filter((name) => /\bdocuments?(\.0)?\{\}$/.test(name))).toEqual([]);
  });

  it.each(asked.map((entrance) => [nameOf(entrance), entrance] as const))(
    "%s",
    async (name, entrance) => {
      const { media, operation } = entrance;
      const all: Measured[] = [];
      const queries = queriesOf(entrance);
      for (const query of isWhole ? queries : queries.slice(0, 1))
        all.push(await measured(`${name}${query}`, { entrance, query, body: media?.example }, 0));
      const explained = queries.find((one) => one.includes("explain="));
      const isValid = media === undefined ? () => true : validOf(entrance);
      // Work without an end does not grow with what it is about.
      if (!ENDLESS.has(operation.operationId))
        for (const [query, count] of textQueriesOf(entrance)) {
          const short = `${name}${query.slice(0, SHOWN)}`;
          all.push(await measured(short, { entrance, query, body: media?.example }, count));
        }
      for (const place of placesToFill(entrance)) {
        all.push(...(await filled(entrance, place, queries[0] ?? "", isValid)));
        if (explained !== undefined && place.kind !== "text")
          all.push(...(await filled(entrance, place, explained, isValid, MOST_EXPLAINED)));
      }
      const longest = all.toSorted((a, b) => b.holdMs - a.holdMs)[0] as Measured;
      if (longest.holdMs > 25)
        report(`${longest.name}: ${longest.count} values held ${longest.holdMs.toFixed(0)} ms`);
      expect(all.filter(({ holdMs }) => holdMs > MAX_HOLD_MS)).toEqual([]);
      // What the other listener took away before is gone.
      if (entrance.method !== "DELETE" && !REFUSED.has(operation.operationId))
        expect(all.some(isAnswer), JSON.stringify(all.at(0))).toBe(true);
    },
    isWhole ? 1_800_000 : 900_000,
  );
});
