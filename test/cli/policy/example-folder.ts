import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "../../temporary-folder.ts";

const EXAMPLE = join(import.meta.dirname, "..", "..", "..", "fixtures", "policy-work");

/** A folder of its own with the files that are given, and the worked example in `example/`. */
export function folderWith(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = temporaryFolder();
  cpSync(EXAMPLE, join(folder, "example"), { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  }
  return folder;
}

export const allow = (action: string, resource = "*") => ({ effect: "allow", action: [action], resource });
export const policy = (name: string, ...statement: object[]) => ({ name, statement });
export const REPO = "arn:svc:fs:::repository/";
export const soundPolicy = policy("Sound", {
  sid: "Objects",
  ...allow("fs:ReadObject", `${REPO}r/object/*`),
});
export const doubtfulPolicy = policy("Doubtful", allow("fs:ReadObjects"));
export const brokenPolicy = policy("Broken", { ...allow("fs:ReadObject"), effect: "Allow" });
