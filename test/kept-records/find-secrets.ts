/** Looks through records for what no record may have (spec/decision-log §1.2). */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

const NAMED = [
  /\b\w*(?:SECRET|TOKEN|PASSWORD)\w*\s*=\s*"([^"\\\n]{12,})"/g,
  /\b(?:secret_access_key|secretAccessKey|secretKey|password|token|sink_token)"?\s*:\s*"([^"\\\n]{12,})"/g,
  /"(?:auth\.api\.token|auth\.encrypt\.secret_key|authorizer\.[\w.]*(?:token|secret|secret_key))":\s*"([^"\\\n]{12,})"/g,
];

/** The secrets that test sources give to services, found by the names that they have there. */
export function secretsInSources(root: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of globSync(["test/**/*.ts", "packages/*/test/**/*.ts"], { cwd: root })) {
    const text = readFileSync(join(root, path), "utf8");
    for (const pattern of NAMED) for (const [, secret = ""] of text.matchAll(pattern)) found.add(secret);
  }
  return found;
}

/** Forms of secrets that services and tests make at random. */
const FORMS: readonly (readonly [name: string, form: RegExp])[] = [
  ["32 random bytes, as keys and tokens have them", /"[A-Za-z0-9_-]{43}"/],
  ["the secret of an access key", /"(?![0-9a-f]{40}")[A-Za-z0-9+/]{40}"/],
  ["a JWT", /eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/],
  ["credentials of a header", /\b(?:Bearer|Basic) [A-Za-z0-9+/._=-]{12,}/],
  ["the hash of a password", /\$(?:2[aby]|scrypt|argon2\w*)\$/],
  ["a private key", /PRIVATE KEY/],
];

/** Members that a mask can hide, with their places. */
type Maskable = readonly (readonly [place: string, value: unknown])[];

interface Subject {
  readonly id?: unknown;
  readonly properties?: object;
}

interface Line {
  readonly entrance?: unknown;
  readonly event?: unknown;
  readonly subject?: Subject;
  readonly caller?: { readonly name?: unknown };
  readonly context?: object;
  readonly items?: readonly Line[];
}

/** Looks through the segments of logs. */
export class RecordCheck {
  /** All secrets in one expression: a look for each of a hundred takes ten times as long. */
  readonly #secrets: RegExp;
  readonly #isDecision: ValidateFunction;
  /** Records that were looked at. */
  records = 0;

  constructor(secrets: ReadonlySet<string>) {
    this.#secrets = secrets.size > 0 ? new RegExp([...secrets].map(RegExp.escape).join("|")) : /(?!)/;
    const file = new URL("../../policies/schema/decision.schema.json", import.meta.url);
    const ajv = new Ajv2020({ allowUnionTypes: true });
    this.#isDecision = ajv.compile(JSON.parse(readFileSync(file, "utf8")));
  }

  /** The faults of the lines of one segment, each with its line; secrets themselves are not repeated. */
  faultsOf(segment: string): readonly string[] {
    const faults: string[] = [];
    const shown = new Map<string, string>();
    const masked = new Set<string>();
    for (const text of segment.split("\n").filter((line) => line.startsWith("{") && line.endsWith("}"))) {
      this.records++;
      const fault = (what: string): unknown => faults.push(`${what}: ${text.slice(0, 160)}`);
      if (this.#secrets.test(text)) fault("a secret of the tests");
      for (const [name, form] of FORMS) if (form.test(text)) fault(name);
      const line = parsed(text);
      if (line?.entrance === undefined && line?.event === undefined) continue;
      // The schema is closed: a member that it does not know, such as a body, is a fault.
      if (!this.#isDecision(line)) {
        const why = this.#isDecision.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`);
        fault(`not as the schema says (${why?.slice(0, 3).join("; ")})`);
      }
      for (const [place, value] of maskable(line)) {
        if (typeof value === "string" && value.startsWith("masked:")) masked.add(place);
        else if (value !== undefined) shown.set(place, text);
      }
    }
    for (const place of masked) {
      const text = shown.get(place);
      if (text !== undefined) faults.push(`${place} is masked elsewhere: ${text.slice(0, 160)}`);
    }
    return faults;
  }
}

/** Undefined for what a full disk left of a line, which the log cuts later. */
function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

function maskable(line: Line): Maskable {
  const { subject, caller, context, items = [] } = line;
  return [
    ["/subject/id", subject?.id],
    ["/caller/name", caller?.name],
    ...Object.entries(subject?.properties ?? {}).map(([name, value]) => [`subject.${name}`, value] as const),
    ...Object.entries(context ?? {}),
    ...items.flatMap(maskable),
  ];
}
