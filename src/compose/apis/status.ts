/** The state of the service for the management API. */

import { servicesOf } from "@svc-authorizer/policy/analysis/lint/lint.ts";
import type { ServiceStatus } from "../../api/management/status/ports.ts";
import { policyDigest } from "../../bootstrap/shipped-set.ts";
import type { Decisions } from "../../decisions/decisions.ts";
import type { ActivityReport } from "../../insight/overview/activity.ts";
import { KnownAnswer } from "../../insight/overview/known-answer.ts";
import { KnownWarnings } from "../../insight/overview/known-warnings.ts";
import type { RecentChange, Status } from "../../insight/overview/status.ts";
import type { Health } from "../../listeners/health.ts";
import type { CommittedChange } from "../../store/port.ts";
import { type StoreTrouble, troubleInWords } from "../../store/trouble.ts";
import type { DataParts } from "../data.ts";
import { nodeName, type ServiceDecisionLog } from "../records/decision-log.ts";
import type { ServicePolicyChecks } from "./policy-checks.ts";

/** Parts of the state besides data. */
interface StatusParts {
  readonly version: string;
  readonly health: Pick<Health, "reasons">;
  readonly decisions: Pick<Decisions, "searches">;
  readonly decisionLog: ServiceDecisionLog | undefined;
  readonly policyChecks: ServicePolicyChecks;
  /** The decisions of all processes of the node. */
  readonly activity: () => Promise<ActivityReport>;
}

/** Entries of the log that are shown. */
const MOST_CHANGES = 20;
/** Names of one kind that are shown of an entry. */
const MOST_NAMES = 20;
/** Time for which the refusals are remembered. */
const REMEMBERED_MS = 10_000;
const MS_PER_S = 1_000;

/** The port of the management API, with a search in the background. */
export interface OpenedStatus extends ServiceStatus {
  close(): Promise<void>;
}

/** Returns the state of a service. */
export function openStatus(data: DataParts, parts: StatusParts): OpenedStatus {
  const { values, catalog, directory, revisions, journal, logger, store } = data;
  const startedAt = Date.now();
  const shipped = new Map(
    catalog.preconfigured.policies.map((policy) => [policy.name, policyDigest(policy)] as const),
  );
  const warnings = new KnownWarnings(
    {
      directory,
      searches: parts.decisions.searches,
      thread: parts.policyChecks.thread,
      partition: catalog.partition,
      services: async () => [
        ...catalog.services,
        ...servicesOf(await directory.resources.types(), catalog.partition),
      ],
      isShipped: ({ name, statement }) => shipped.get(name) === policyDigest({ statement }),
      now: () => Math.floor(Date.now() / MS_PER_S),
    },
    () => revisions.newest,
    (error) => logger.warn("the warnings of the status could not be found", { error: String(error) }),
  );
  // The index has to read what was logged since the last question, which may be gigabytes.
  const refusals = new KnownAnswer(
    async () => parts.decisionLog?.index.refusals(),
    REMEMBERED_MS,
    (error) => logger.warn("the refusals of the status could not be found", { error: String(error) }),
  );
  return {
    close: () => warnings.close(),
    readWhenStale() {
      const trouble = store.trouble?.();
      const database = trouble && databaseOf(trouble);
      return { reasons: [database?.message ?? "store unavailable"], database };
    },
    async read() {
      const [reasons, activity, refused, warned, changes] = await Promise.all([
        parts.health.reasons(),
        parts.activity(),
        refusals.get(),
        warnings.get(),
        store.changes(Math.max(0, revisions.newest - MOST_CHANGES), MOST_CHANGES),
      ]);
      const trouble = store.trouble?.();
      return {
        node: nodeName(values),
        version: parts.version,
        startedAt,
        reasons,
        database: trouble && databaseOf(trouble),
        revision: revisions.newest,
        stalenessMs: journal?.staleness(),
        lagMs: journal?.counters.lagMs,
        activity,
        refusals: refused,
        warnings: warned,
        changes: (changes ?? []).map(recentChange).reverse(),
      };
    },
  };
}

function databaseOf(trouble: StoreTrouble): Status["database"] {
  const { kind, since, isReadable, stopsAt } = trouble;
  return {
    kind,
    since,
    stopsAt: isReadable ? undefined : stopsAt,
    message: troubleInWords(trouble, Date.now()),
  };
}

function recentChange({ revision, at, useCases }: CommittedChange): RecentChange {
  const touched = useCases.flatMap((one) => one.touched ?? []);
  const named = (kind: "users" | "groups" | "policies") => [
    ...new Set(touched.flatMap((one) => one[kind] ?? [])),
  ];
  const [users, groups, policies] = [named("users"), named("groups"), named("policies")];
  const cut = [users, groups, policies].some(({ length }) => length > MOST_NAMES);
  return {
    revision,
    at,
    actors: [...new Set(useCases.flatMap(({ actor }) => actor ?? []))].slice(0, MOST_NAMES),
    users: users.slice(0, MOST_NAMES),
    groups: groups.slice(0, MOST_NAMES),
    policies: policies.slice(0, MOST_NAMES),
    more: cut || touched.some(({ all, resources }) => all === true || resources !== undefined),
  };
}
