/** A command line for every command of the reference, in the order in which they run against a fresh data server. */

import { ACTION, RULES } from "../../../packages/svcctl/test/conversation-steps.ts";

/** One command line, and what is to be seen. */
export interface CommandLine {
  readonly line: string;
  readonly stdin?: string;
  /** Files that are put into the working folder before. */
  readonly files?: Readonly<Record<string, string>>;
  /** Exit code; default 0. */
  readonly code?: number;
  /** Part of the output. */
  readonly sees: RegExp;
  /** A server other than the data server that it talks to. */
  readonly needs?: "hive" | "glue";
}

const R = "svc://walk-repo";
const MAIN = `${R}/main`;
const POLICY = JSON.stringify({
  statement: [
    { effect: "allow", action: ["fs:ReadObject"], resource: "arn:lakefs:fs:::repository/walk-repo/*" },
  ],
});

const AUTH: readonly CommandLine[] = [
  { line: "auth users create --id fred", sees: /User created successfully\.\nID: fred/ },
  { line: "auth users list", sees: /^fred\tfred\t/m },
  { line: "auth groups create --id Walkers", sees: /Group created successfully\.\nID: Walkers/ },
  { line: "auth groups list --amount 100", sees: /Walkers\tWalkers\t/ },
  { line: "auth groups members add --id Walkers --user fred", sees: /^User successfully added/ },
  { line: "auth groups members list --id Walkers", sees: /^fred\n/ },
  { line: "auth users groups list --id fred", sees: /^Walkers\t/ },
  {
    line: "auth policies create --id ReadWalk --statement-document policy.json",
    files: { "policy.json": POLICY },
    sees: /Policy created successfully\.\n\nID: ReadWalk/,
  },
  { line: "auth policies list", sees: /^ReadWalk\t/m },
  { line: "auth policies show --id ReadWalk", sees: /"fs:ReadObject"/ },
  {
    line: "auth groups policies attach --id Walkers --policy ReadWalk",
    sees: /^Policy attached successfully/,
  },
  { line: "auth groups policies list --id Walkers", sees: /^ReadWalk\t.*\tallow\tfs:ReadObject/ },
  { line: "auth users policies list --id fred --effective", sees: /^ReadWalk\t.*\tallow\tfs:ReadObject/ },
  {
    line: "auth groups policies detach --id Walkers --policy ReadWalk",
    sees: /^Policy detached successfully/,
  },
  { line: "auth users policies attach --id fred --policy ReadWalk", sees: /^Policy attached successfully/ },
  { line: "auth users policies detach --id fred --policy ReadWalk", sees: /^Policy detached successfully/ },
  { line: "auth groups acl set --id Walkers --permission Read", sees: /^$/ },
  { line: "auth groups acl get --id Walkers", sees: /^Group Walkers:Read\n/ },
  { line: "auth users credentials create --id fred", sees: /Secret Access Key: \S+/ },
  { line: "auth users credentials list --id fred", sees: /^AKIA\w+\t/ },
  {
    line: "auth users credentials delete --id fred --access-key-id {key}",
    sees: /^Credentials deleted successfully/,
  },
  { line: "auth groups members remove --id Walkers --user fred", sees: /^User successfully removed/ },
  { line: "auth policies delete --id ReadWalk", sees: /^Policy deleted successfully/ },
  { line: "auth groups delete --id Walkers", sees: /^Group deleted successfully/ },
  { line: "auth users delete --id fred", sees: /^User deleted successfully/ },
];

const REPOSITORIES: readonly CommandLine[] = [
  { line: "doctor", sees: /^Valid configuration/ },
  { line: `repo create ${R} {namespace}/walk`, sees: /Repository 'walk-repo' created:/ },
  { line: "repo list", sees: /^walk-repo\t.*\tmain\t/m },
  { line: `fs upload ${MAIN}/a.txt --source a.txt`, files: { "a.txt": "one\n" }, sees: /Size: 4 bytes/ },
  {
    line: `fs upload ${MAIN}/data/ --source up --recursive`,
    files: { "up/b.csv": "x,y\n1,2\n", "up/sub/c.csv": "z\n" },
    sees: /Uploaded: 2/,
  },
  { line: `fs ls ${MAIN}/ --recursive`, sees: /data\/sub\/c\.csv/ },
  { line: `fs stat ${MAIN}/a.txt`, sees: /^Path: a\.txt\n/ },
  { line: `fs cat ${MAIN}/a.txt`, sees: /^one\n$/ },
  { line: `fs presign ${MAIN}/a.txt`, sees: /^http:\/\/.*X-Amz-Signature=/ },
  { line: `fs update-metadata ${MAIN}/a.txt --metadata source=lab`, sees: /^$/ },
  { line: `fs stat ${MAIN}/a.txt`, sees: /^\tsource += lab$/m },
  { line: `fs download ${MAIN}/data/ down --recursive`, sees: /Downloaded: 2/ },
  {
    line: `fs stage ${MAIN}/staged --location {outside}/raw/x --size 2 --checksum abc`,
    sees: /^Path: staged/,
  },
  { line: `fs rm ${MAIN}/staged`, sees: /^$/ },
  { line: `commit ${MAIN} --message First --meta by=walk`, sees: /Commit for branch "main" completed\./ },
  { line: `show commit ${MAIN}`, sees: /First/ },
  { line: `log ${MAIN} --amount 1`, sees: /First/ },
  { line: `annotate ${MAIN}/ --recursive`, sees: /^a\.txt .*admin .*First$/m },
  { line: `branch create ${R}/dev --source ${MAIN}`, sees: /created branch 'dev'/ },
  { line: `branch list ${R}`, sees: /^dev\t/m },
  { line: `branch show ${R}/dev`, sees: /Branch: .*dev/ },
  { line: `fs upload ${R}/dev/b.txt --source b.txt`, files: { "b.txt": "two\n" }, sees: /Path: b\.txt/ },
  { line: `diff ${R}/dev`, sees: /added b\.txt/ },
  { line: `branch reset ${R}/dev --yes`, sees: /^/ },
  { line: `fs upload ${R}/dev/c.txt --source b.txt`, sees: /Path: c\.txt/ },
  { line: `commit ${R}/dev --message Second`, sees: /completed/ },
  { line: `diff ${MAIN} ${R}/dev`, sees: /added c\.txt/ },
  { line: `find-merge-base ${MAIN} ${R}/dev`, sees: /[0-9a-f]{64}/ },
  { line: `cherry-pick ${R}/dev ${MAIN}`, sees: /Second/ },
  { line: `branch revert ${MAIN} main --yes`, sees: /reverted/i },
  { line: `fs upload ${R}/dev/d.txt --source b.txt`, sees: /Path: d\.txt/ },
  { line: `commit ${R}/dev --message Third`, sees: /completed/ },
  { line: `merge ${R}/dev ${MAIN}`, sees: /Merged .*dev.* into .*main/ },
  { line: `tag create ${R}/v1 ${MAIN}`, sees: /Created tag 'v1'/ },
  { line: `tag list ${R}`, sees: /^v1\t[0-9a-f]{64}/m },
  { line: `tag show ${R}/v1`, sees: /[0-9a-f]{64}/ },
  { line: `branch create ${R}/short --source ${MAIN}`, sees: /created branch 'short'/ },
  { line: `branch delete ${R}/short --yes`, sees: /short/ },
  { line: `tag delete ${R}/v1 --yes`, sees: /^/ },
  { line: `branch-protect add ${R} stable-*`, sees: /^/ },
  { line: `branch-protect list ${R}`, sees: /stable-\*/ },
  { line: `branch-protect delete ${R} stable-*`, sees: /^/ },
  { line: `gc set-config ${R} --filename rules.json`, files: { "rules.json": RULES }, sees: /^/ },
  { line: `gc get-config ${R}`, sees: /21/ },
  { line: `gc delete-config ${R}`, sees: /^/ },
];

const FOLDERS: readonly CommandLine[] = [
  { line: `local clone ${MAIN}/data/ work`, sees: /Successfully cloned/ },
  { line: "local status work", files: { "work/new.csv": "new\n" }, sees: /new\.csv/ },
  { line: "local commit work --message Local", sees: /Commit for branch "main" completed/ },
  { line: "local list", sees: /work/ },
  { line: `fs upload ${MAIN}/data/e.csv --source b.txt`, sees: /e\.csv/ },
  { line: `commit ${MAIN} --message Beside`, sees: /completed/ },
  { line: "local pull work", sees: /download e\.csv +\.\.\. done!/ },
  { line: `local checkout work --ref ${R}/dev --yes`, sees: /Removed|Downloaded/ },
  { line: `local init ${MAIN}/other/ other`, sees: /Successfully linked local directory/ },
];

const HOOKS: readonly CommandLine[] = [
  { line: "actions validate check.yaml", files: { "check.yaml": ACTION }, sees: /validated successfully/ },
  { line: `branch create ${R}/hooked --source ${MAIN}`, sees: /created branch 'hooked'/ },
  { line: `fs upload ${R}/hooked/_lakefs_actions/check.yaml --source check.yaml`, sees: /check\.yaml/ },
  { line: `commit ${R}/hooked --message Checked`, sees: /completed/ },
  { line: `actions runs list ${R}`, sees: /\tpre-commit\t.*\thooked\t.*\tcompleted$/m },
  { line: `actions runs describe ${R} {run}`, sees: /checked/ },
  { line: `cat-hook-output ${R} {run} {hook}`, sees: /checked/ },
];

const PLUMBING: readonly CommandLine[] = [
  {
    line: `import --from {outside}/raw/ --to ${MAIN}/imported/ --no-progress`,
    sees: /Import of 2 object\(s\) into "main" completed\./,
  },
  {
    line: `ingest --from {outside}/raw/ --to ${R}/dev/ingested/ --s3-endpoint-url {store}`,
    sees: /Staged 2/,
  },
  { line: `refs-dump ${R} --output refs.json`, sees: /^/ },
  { line: "repo create-bare svc://bare-repo {namespace}/walk", sees: /bare-repo/ },
  { line: "refs-restore svc://bare-repo --manifest refs.json", sees: /^/ },
  { line: "log svc://bare-repo/main --amount 1", sees: /ID: +[0-9a-f]{64}/ },
  { line: "cat-sst {table}", sees: /\S/ },
  { line: "usage summary", sees: /^2\d{3}\t\d+\t\d+$/m },
  { line: `bisect start ${MAIN} ${MAIN}~3`, sees: /\S/ },
  { line: "bisect view", sees: /[0-9a-f]{16}/ },
  { line: "bisect good", sees: /\S/ },
  { line: "bisect bad", sees: /\S/ },
  { line: "bisect log", sees: /\S/ },
  { line: "bisect reset", sees: /[Cc]leared/ },
  { line: `bisect start ${MAIN} ${MAIN}~3`, sees: /\S/ },
  { line: "bisect run true", sees: /\S/ },
  { line: `abuse commit ${R}/dev --amount 2 --gap 1ms`, sees: /completed: 2, errors: 0/ },
  { line: `abuse list ${R}/dev --amount 5 --parallelism 2`, sees: /\S/ },
  { line: `abuse create-branches ${MAIN} --amount 3 --parallelism 2`, sees: /\S/ },
  { line: `abuse create-branches ${MAIN} --clean-only`, sees: /\S/ },
  { line: `abuse link-same-object ${R}/dev --amount 3 --parallelism 2`, sees: /\S/ },
  { line: `abuse random-write ${R}/dev --amount 5 --parallelism 2`, sees: /\S/ },
  {
    line: `abuse random-read ${R}/dev --amount 5 --parallelism 2 --from-file keys`,
    files: { keys: "c.txt\nd.txt\n" },
    sees: /\S/,
  },
  { line: `abuse random-delete ${R}/dev --amount 2 --parallelism 1 --from-file keys`, sees: /\S/ },
  { line: `abuse merge ${R}/dev --amount 2 --parallelism 1`, sees: /\S/ },
];

const SELF: readonly CommandLine[] = [
  { line: "completion bash", sees: /complete -/ },
  { line: "docs reference.md", sees: /^/ },
  { line: "config", stdin: "{access}\n{secret}\n{server}\n", sees: /Config file .* will be used/ },
];

const METASTORES: readonly CommandLine[] = [
  {
    line: "metastore copy-schema --from-schema default --to-branch dev",
    needs: "hive",
    sees: /copy default -> dev/,
  },
  {
    line: "metastore copy --from-schema default --from-table events --to-branch dev",
    needs: "hive",
    sees: /copy default\.events -> dev\.events/,
  },
  {
    line: "metastore diff --from-schema default --from-table events --to-schema dev",
    needs: "hive",
    sees: /Columns are identical/,
  },
  {
    line: "metastore copy-all --from-address {first} --to-address {second} --branch next",
    needs: "hive",
    sees: /table default\.events -> default\.events/,
  },
  {
    line: "metastore import-all --from-address {first} --to-address {second} --branch next --repo example-repo --table-filter events",
    needs: "hive",
    sees: /table default\.events -> default\.events/,
  },
  {
    line: `metastore create-symlink --from-schema default --from-table events --to-schema links --to-table events --repo walk-repo --branch main --path data/`,
    needs: "glue",
    sees: /^/,
  },
];

/** All of them. */
export const LINES: readonly CommandLine[] = [
  ...SELF,
  ...REPOSITORIES,
  ...FOLDERS,
  ...HOOKS,
  ...PLUMBING,
  ...METASTORES,
  { line: "repo delete svc://bare-repo --yes", sees: /deleted/ },
  ...AUTH,
];
