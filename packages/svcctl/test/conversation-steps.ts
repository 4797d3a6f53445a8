/** The command lines that are recorded, in the order in which they run against fresh servers. */
import type { Step } from "./conversation.ts";

const REPO = "svc://example-repo";
const MAIN = `${REPO}/main`;

/** A file of actions with one hook, which prints. */
export const ACTION = `name: check
on:
  pre-commit:
hooks:
  - id: print_it
    type: lua
    properties:
      script: print("checked")
`;

/** Rules of garbage collection. */
export const RULES =
  '{"default_retention_days": 21, "branches": [{"branch_id": "main", "retention_days": 28}]}';

const line = (text: string, more: Omit<Step, "args"> = {}): Step => ({ args: text.split(" "), ...more });

export const STEPS: readonly Step[] = [
  line(`repo create ${REPO} local://example`),
  // Objects.
  line(`fs upload ${MAIN}/a.txt --source a.txt`, { files: { "a.txt": "one\n" } }),
  line(`fs upload ${MAIN}/in.txt --source - --content-type text/plain`, { stdin: "from standard input\n" }),
  line(`fs upload ${MAIN}/none --source missing`),
  line(`fs upload ${MAIN}/data/ --source up --recursive`, {
    files: { "up/b.csv": "x,y\n1,2\n", "up/sub/c.csv": "z\n", "up/empty": "" },
  }),
  line(`fs upload ${MAIN}/data/ --source up --recursive`),
  line(`fs ls ${MAIN}/`),
  line(`fs ls ${MAIN}/data/`),
  line(`fs ls ${MAIN}/data/ --recursive`),
  line(`fs ls ${REPO}/missing/`),
  line(`fs stat ${MAIN}/data/b.csv`),
  line(`fs stat ${MAIN}/data/b.csv --pre-sign=false`),
  line(`fs stat ${MAIN}/missing`),
  line(`fs cat ${MAIN}/a.txt`),
  line(`fs cat ${MAIN}/missing`),
  line(`fs presign ${MAIN}/a.txt`),
  line(`fs update-metadata ${MAIN}/a.txt --metadata source=lab,quality=high`),
  line(`fs update-metadata ${MAIN}/a.txt --metadata wrong`),
  line(`fs stat ${MAIN}/a.txt`),
  line(`fs download ${MAIN}/a.txt`),
  line(`fs download ${MAIN}/a.txt copy.txt`),
  line(`fs download ${MAIN}/missing copy.txt --pre-sign=false`),
  line(`fs download ${MAIN}/data/ down --recursive --parallelism 2`),
  line(`fs download ${MAIN}/data/ down --recursive`),
  line(`fs download ${MAIN}/nothing/ down --recursive`),
  line(
    `fs stage ${MAIN}/linked --location s3://elsewhere/linked --size 12 --checksum abc --mtime 1700000000 --meta k=v`,
  ),
  line(`fs stage ${MAIN}/linked --size 12`),
  line(`fs rm ${MAIN}/in.txt`),
  line(`commit ${MAIN} --message First`),
  line(`fs rm ${MAIN}/data/sub/ --recursive`),
  line(`branch reset ${MAIN} --yes`),
  line(`annotate ${MAIN}/`),
  line(`annotate ${MAIN}/data/ --recursive --first-parent`),
  // Directories.
  line(`local clone ${MAIN}/data/ work`),
  line(`local clone ${MAIN}/data/ work`),
  line("local status work"),
  line("local status work", { files: { "work/b.csv": "x,y\n1,2\n3,4\n", "work/new.csv": "new\n" } }),
  line("local status work --local"),
  line("local pull work"),
  line("local commit work"),
  line("local commit work --message Second"),
  line("local commit work --message Third"),
  line("local status nowhere"),
  line("local list"),
  line(`local init ${MAIN}/other/ other`),
  line(`local init ${MAIN}/other/ other`),
  line(`local init ${MAIN}/other/ other --force`),
  line(`local init ${MAIN}/a.txt third`),
  line(`branch create ${REPO}/dev --source ${REPO}/main~1`),
  line("local checkout work --yes", { files: { "work/junk": "junk\n" } }),
  line(`local checkout work --ref ${REPO}/dev --yes`),
  line(`local checkout work --ref ${REPO}/dev --all`),
  line("local checkout missing"),
  line(`local checkout work --ref ${MAIN} --yes`),
  line(`fs upload ${MAIN}/data/b.csv --source theirs`, { files: { theirs: "theirs\n" } }),
  line(`commit ${MAIN} --message Theirs`),
  line("local commit work --message Conflict", { files: { "work/b.csv": "ours\n" } }),
  line("local pull work"),
  line("local pull work --force"),
  // Hooks.
  line(`fs upload ${MAIN}/_lakefs_actions/check.yaml --source check.yaml`, {
    files: { "check.yaml": ACTION },
  }),
  line(`commit ${MAIN} --message Checked`),
  // A server keeps for seconds that a branch had no actions.
  line(`commit ${MAIN} --message Again --allow-empty-commit`, { pause: 12_000 }),
  line(`actions runs list ${REPO}`),
  line(`actions runs list ${REPO} --branch main --amount 1`),
  line(`actions runs list ${REPO} --branch main --commit abc`),
  line(`actions runs describe ${REPO} {run}`),
  line(`actions runs describe ${REPO} missing`),
  line(`cat-hook-output ${REPO} {run} {hook}`),
  line("actions validate check.yaml"),
  line("actions validate bad.yaml", { files: { "bad.yaml": "name: bad\non:\n  pre-flight:\n" } }),
  // Rules.
  line(`branch-protect list ${REPO}`),
  line(`branch-protect add ${REPO} stable-*`),
  line(`branch-protect list ${REPO}`),
  line(`branch-protect delete ${REPO} stable-*`),
  line(`branch-protect delete ${REPO} stable-*`),
  line(`gc get-config ${REPO}`),
  line(`gc set-config ${REPO} --filename rules.json`, { files: { "rules.json": RULES } }),
  line(`gc set-config ${REPO} --filename -`, { stdin: '{"default_retention_days": 0, "branches": [{}]}' }),
  line(`gc get-config ${REPO}`),
  line(`gc get-config ${REPO} --json`),
  line(`gc delete-config ${REPO}`),
  // Plumbing.
  line(`find-merge-base ${REPO}/dev ${MAIN}`),
  line(`refs-dump ${REPO} --output refs.json --poll-interval 1s`),
  line("repo create-bare svc://bare-repo local://bare"),
  line("refs-restore svc://bare-repo --manifest missing.json"),
  // In the storage namespace of the first one, where the dump is.
  line("repo create-bare svc://restored-repo local://example"),
  line("refs-restore svc://restored-repo --manifest refs.json --poll-interval 1s"),
  line("log svc://restored-repo/main --amount 1"),
  line(`refs-dump ${REPO} --poll-interval 10ms`),
  line("usage summary"),
  line(`bisect start ${MAIN} ${MAIN}~3`),
  line("bisect view"),
  line("bisect log"),
  line("bisect good"),
  line("bisect bad"),
  line("bisect run true"),
  line("bisect reset"),
  line("bisect reset"),
  line("bisect log"),
  line(`bisect start ${MAIN} svc://bare-repo/main`),
  line(`import --from s3://elsewhere/x/ --to ${MAIN}/imported/`),
  line(`import --from local:///srv/elsewhere/ --to ${REPO}/missing/imported/`),
  line(`ingest --from ftp://elsewhere/x --to ${MAIN}/ingested/`),
  line(`ingest --from local://{folder}/up/ --to ${MAIN}/ingested/ --dry-run`),
  line(`abuse commit ${REPO}/dev --amount 2 --gap 1ms`),
  line(`abuse list ${REPO}/dev --amount 2 --parallelism 1`),
  line(`abuse create-branches ${MAIN} --amount 2 --parallelism 1`),
  line(`abuse create-branches ${MAIN} --clean-only`),
  line(`abuse link-same-object ${REPO}/dev --amount 1`),
  line(`abuse random-write ${REPO}/dev --amount 1`),
  line(`abuse random-read ${REPO}/dev --amount 1 --from-file -`, { stdin: "abuse/file-0\n" }),
  line(`abuse random-delete ${REPO}/dev --amount 1 --from-file -`, { stdin: "abuse/file-0\n" }),
  line(`commit ${REPO}/dev --message Clean`),
  line(`abuse merge ${REPO}/dev --amount 1 --parallelism 1`),
  line(`commit ${REPO}/dev --message Old --epoch-time-seconds 0 --allow-empty-commit`),
  line(`merge ${MAIN} ${REPO}/dev --squash --message Squashed --strategy source-wins`),
  line("repo create svc://sample-repo local://sample --sample-data"),
];
