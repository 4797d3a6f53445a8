/**
 * Starts that went wrong elsewhere: of a store whose file is damaged, which is refused with its name and never ends by a
 * signal, and of a service whose output a log keeps, which has no set-up token in it.
 */
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, type RunningProgram, run, start, writeConfig } from "../test/end-to-end/program.ts";

/** One start. */
export interface StartRow {
  readonly name: string;
  readonly result: string;
  /** Time to the end, or until the service answered. */
  readonly milliseconds: number;
  readonly held: boolean;
}

const USERS = 2_000;
const SECRET = "a-secret-key-that-only-this-test-knows-0123456789";
const ADMINISTRATOR = {
  username: "eva",
  groups: ["Admins"],
  credentials: [
    {
      access_key_id: "AKIAJEXAMPLEEXAMPLEQ",
      secret_access_key: "example-secret-example-secret-example-00",
    },
  ],
};
const DIRECTORY = {
  format: 1,
  policies: [{ name: "Everything", statement: [{ effect: "allow", action: ["*"], resource: "*" }] }],
  groups: [{ name: "Admins", policies: ["Everything"] }],
  users: [ADMINISTRATOR],
};

/** Files as a disk or a person leaves them; whether such a store can be opened at all. */
const DAMAGE: readonly {
  readonly name: string;
  readonly opens: boolean;
  of(bytes: Buffer): Buffer;
}[] = [
  { name: "is empty", opens: false, of: () => Buffer.alloc(0) },
  { name: "was cut at 5,000 bytes", opens: false, of: (bytes) => bytes.subarray(0, 5_000) },
  { name: "was cut at its half", opens: false, of: (bytes) => bytes.subarray(0, bytes.length >> 1) },
  { name: "is noise", opens: false, of: (bytes) => Buffer.from(bytes.map((_, at) => (at * 197) & 255)) },
  { name: "has another byte 150", opens: true, of: (bytes) => changed(bytes, 150) },
  {
    name: "has another letter in a record",
    opens: true,
    of: (bytes) => changed(bytes, bytes.indexOf("user-0077")),
  },
];

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] as number) ^ 1;
  return copy;
}

function configOf(folder: string, dataset?: unknown): string {
  return writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": SECRET,
    "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
    ...(dataset !== undefined && { "authorizer.datasets": [writeConfig(folder, dataset, "dataset.json")] }),
  });
}

/** A start to measure. */
interface Start {
  readonly name: string;
  run(): Promise<readonly [result: string, held: boolean]>;
}

/** A start or a check of a store that is damaged. */
async function ofDamage(whole: string, { opens, of }: (typeof DAMAGE)[number]) {
  const folder = newFolder();
  cpSync(whole, join(folder, "data"), { recursive: true });
  const file = join(folder, "data", "svc-authorizer", "data.mdb");
  writeFileSync(file, of(readFileSync(file)));
  const config = configOf(folder);
  const checked = await run(["check-store", "--config", config], folder);
  const isNamed = (checked.stdout + checked.stderr).includes(opens ? "damaged" : "data.mdb");
  // A start would go on, for as long as nobody asks for what is damaged.
  if (opens) return [`check-store ends with ${checked.code}`, checked.code !== null && isNamed] as const;
  const started = await run(["run", "--config", config], folder);
  const isRefused = [checked, started].every(({ code }) => code !== null && code !== 0);
  const isSaid = isNamed && started.stderr.includes("data.mdb") && !started.stdout.includes("ready ");
  return [`start ends with ${started.code}`, isRefused && isSaid] as const;
}

/** The files below a folder that are named as the set-up token's. */
function tokenFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("setup-token"))
    .map((name) => join(folder, name));
}

const outputOf = (program: RunningProgram): string => program.stdout() + program.stderr();

/** A service without an administrator keeps the token in a file of its owner, and prints where that is. */
async function withNobody() {
  const folder = newFolder();
  const program = await start(["--config", configOf(folder)], folder);
  await program.end();
  const [file = ""] = tokenFiles(folder);
  const isKept = existsSync(file) && (statSync(file).mode & 0o077) === 0;
  const isPrinted = isKept && outputOf(program).includes(readFileSync(file, "utf8").trim());
  return [isKept ? "a file of its owner" : "no such file", isKept && !isPrinted] as const;
}

/** A service whose data set has an administrator has no token at all. */
async function withAdministrator() {
  const folder = newFolder();
  const program = await start(["--config", configOf(folder, DIRECTORY)], folder);
  await program.end();
  const isOffered = tokenFiles(folder).length > 0 || /set-?up/i.test(outputOf(program));
  return [isOffered ? "a set-up is offered" : "no set-up is offered", !isOffered] as const;
}

/** A folder with a whole store of many users. */
async function wholeStore(): Promise<string> {
  const folder = newFolder();
  const users = Array.from({ length: USERS }, (_, n) => ({ username: `user-${String(n).padStart(4, "0")}` }));
  const dataset = { ...DIRECTORY, users: [ADMINISTRATOR, ...users] };
  await (await start(["--config", configOf(folder, dataset)], folder)).end();
  return join(folder, "data");
}

/**
 * Makes these starts, one after the other.
 * @param isWanted says by its name whether a start is to be made
 */
export async function measureStarts(isWanted: (name: string) => boolean): Promise<readonly StartRow[]> {
  let whole: Promise<string> | undefined;
  const starts: readonly Start[] = [
    ...DAMAGE.map((damage) => ({
      name: `a store whose data.mdb ${damage.name}`,
      run: async () => {
        whole ??= wholeStore();
        return ofDamage(await whole, damage);
      },
    })),
    { name: "a start without an administrator, into a log", run: withNobody },
    { name: "a start with an administrator of a data set, into a log", run: withAdministrator },
  ];
  const rows: StartRow[] = [];
  for (const { name, run: measure } of starts) {
    if (!isWanted(name)) continue;
    const began = performance.now();
    const [result, held] = await measure();
    rows.push({ name, result, milliseconds: performance.now() - began, held });
  }
  return rows;
}
