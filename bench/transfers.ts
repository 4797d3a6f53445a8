/** CPU time for each GiB, and memory, that `svcctl` takes to move contents. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { measured } from "../test/proofs/data-server/measured-run.ts";
import { folder, root } from "./authorizer.ts";
import { startServer } from "./processes.ts";

const GIB = 2 ** 30;
const SIZE = Math.floor(GIB * Number(process.env["BENCH_SCALE"] ?? 1));
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const FILES = 100;
const FILE = Math.floor(SIZE / FILES);
const BIN = "packages/svcctl/bin/svcctl.cjs";
/** The built program where there is one (`npm run build -- dist/svcctl svcctl`), else the sources. */
const SVCCTL = [join(root, "dist/svcctl", BIN), join(root, BIN)].find(existsSync) as string;

/** One kind of transfer: medians over the rounds. */
interface TransferRow {
  readonly name: string;
  /** Seconds of processor time, user and system, for each GiB. */
  readonly cpu: number;
  /** Highest resident memory, in MiB. */
  readonly peak: number;
}

interface Kind {
  readonly name: string;
  readonly verb: "download" | "upload";
  readonly files: "one" | "many";
  readonly options: readonly string[];
}

const THROUGH_SERVER = "--pre-sign=false";
const KINDS: readonly Kind[] = (["download", "upload"] as const).flatMap((verb) => [
  { name: `${verb} of one file`, verb, files: "one", options: [THROUGH_SERVER] },
  { name: `${verb} of one file, --no-verify`, verb, files: "one", options: [THROUGH_SERVER, "--no-verify"] },
  { name: `${verb} of one file in parts past the server`, verb, files: "one", options: [] },
  { name: `${verb} of ${FILES} files`, verb, files: "many", options: [THROUGH_SERVER, "--recursive"] },
]);

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The command for a kind. An upload sends what a download brought into `from`. */
function commandOf({ verb, files, options }: Kind, from: string, to: string): string[] {
  const place = `svc://large/main/${verb}/${files === "one" ? `one-${SIZE}` : `${FILES}x${FILE}/`}`;
  const paths = verb === "download" ? [place, join(to, files)] : [place, "--source", join(from, files)];
  return [process.execPath, SVCCTL, "fs", verb, ...paths, "--no-progress", ...options];
}

/** Measures all kinds in turn, as often as `BENCH_ROUNDS` says, each moving `BENCH_SCALE` GiB. */
export async function measureTransfers(log: (text: string) => void): Promise<readonly TransferRow[]> {
  const server = await startServer([new URL("./servers/objects.ts", import.meta.url).pathname]);
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    SVCCTL_SERVER_ENDPOINT_URL: server.line.split(" ")[1],
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLQ",
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "a-secret-for-the-benchmark",
  };
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  const results = new Map(KINDS.map((kind) => [kind, { cpu: [] as number[], peak: [] as number[] }]));
  const run = async (kind: Kind, target = to) => {
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to);
    const result = await measured(commandOf(kind, from, target), env, folder);
    if (result.code !== 0) throw new Error(`${kind.name}: ${result.output}`);
    return result;
  };
  try {
    mkdirSync(from);
    for (const files of ["one", "many"] as const) {
      await run(
        { name: "first", verb: "download", files, options: files === "one" ? [] : ["--recursive"] },
        from,
      );
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [kind, { cpu, peak }] of results) {
        const { cpuSeconds, megabytes, seconds } = await run(kind);
        cpu.push((cpuSeconds * GIB) / SIZE);
        peak.push(megabytes);
        log(`${kind.name}: ${cpuSeconds.toFixed(2)} s of CPU, ${seconds.toFixed(2)} s, ${megabytes} MiB`);
      }
    }
  } finally {
    await server.stop();
  }
  return [...results].map(([{ name }, { cpu, peak }]) => ({ name, cpu: median(cpu), peak: median(peak) }));
}
