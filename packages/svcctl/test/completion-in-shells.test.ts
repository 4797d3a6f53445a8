/** The tab key in zsh and fish; bash is in completion.test.ts. */

import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { type Answer, replay } from "./replay-server.ts";
import { svcctl } from "./run-svcctl.ts";
import { HOSTILE_NAMES, homeWithSvcctl } from "./shell-launcher.ts";

const run = promisify(execFile);

/** A server with one user, or one repository. */
function serverWith(id: string) {
  const page: Answer = { status: 200, body: { results: [{ id }], pagination: {} } };
  return replay([page]);
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** Words that were begun in quotes, and the prefix that the server is asked for. */
const BEGUN = [
  ["z\\$\\(t", "z%24%28t"],
  ["'z$(t", "z%24%28t"],
  ['"z', "z"],
] as const;

describe("in zsh", () => {
  const withZsh = it.skipIf(!isInstalled("zsh"));

  /** Returns a line after the tab key, and its last word as zsh reads it. */
  async function completed(line: string, own: Readonly<Record<string, string>>) {
    const { folder, env } = homeWithSvcctl(own);
    const { stdout } = await svcctl(["completion", "zsh"]);
    writeFileSync(join(folder, "completion.zsh"), stdout);
    // The keys are read in their order, so that what the tab key does is done before the line is written.
    writeFileSync(
      join(folder, ".zshrc"),
      `autoload -Uz compinit && compinit -u -D && source ~/completion.zsh && PROMPT='REA''DY> '
       read-line() { print -rN -- "$BUFFER" >~/line; eval "words=($BUFFER)"; print -rN -- "$words[-1]" >~/word; exit }
       zle -N read-line; bindkey '^X' read-line; cd`,
    );
    const script = `
      zmodload zsh/zpty
      zpty shell zsh -i
      zpty -r shell seen '*READY> *'
      zpty -w -n shell "$1"$'\\t\\x18'
      while zpty -r shell seen; do :; done`;
    await run("zsh", ["-f", "-c", script, "zsh", line], { env: { ...env, TERM: "dumb" } });
    expect(existsSync(join(folder, "made"))).toBe(false);
    const [typed = "", word = ""] = ["line", "word"].map((file) =>
      readFileSync(join(folder, file), "utf8").slice(0, -1),
    );
    return { typed, word };
  }

  withZsh.each(HOSTILE_NAMES)("the tab key completes a name as zsh has to read it: %s", async (name) => {
    const { word } = await completed("svcctl auth users show --id z", (await serverWith(name)).env);
    expect(word).toBe(name);
  });

  withZsh.each(BEGUN)("a word that was begun in quotes goes on: %s", async (begun, prefix) => {
    const server = await serverWith("z$(touch)");
    const { word } = await completed(`svcctl auth users show --id ${begun}`, server.env);
    expect(server.asked[0]?.line).toContain(`prefix=${prefix}&`);
    expect(word).toBe("z$(touch)");
  });

  withZsh("what follows a URI that goes on is typed at once", async () => {
    const { typed } = await completed("svcctl fs ls s", (await serverWith("data")).env);
    expect(typed).toBe("svcctl fs ls svc://data/");
  });

  withZsh("commands and values are completed, with a blank", async () => {
    const { env } = await serverWith("none");
    expect((await completed("svcctl auth us", env)).typed).toBe("svcctl auth users ");
    expect((await completed("svcctl auth groups acl set --permission=Wr", env)).typed).toBe(
      "svcctl auth groups acl set --permission=Write ",
    );
  });
});

describe("in fish", () => {
  const withFish = it.skipIf(!isInstalled("fish"));

  /** The words that fish would offer, which it quotes itself. */
  async function offered(line: string, own: Readonly<Record<string, string>>): Promise<string[]> {
    const { folder, env } = homeWithSvcctl(own);
    const { stdout } = await svcctl(["completion", "fish"]);
    const script = join(folder, "completion.fish");
    writeFileSync(script, stdout);
    const asked = ["--no-config", "-c", 'source $argv[1]; complete -C "$argv[2]"', script, line];
    const { stdout: found } = await run("fish", asked, { env, cwd: folder });
    return found
      .split("\n")
      .filter((one) => one !== "")
      .map((one) => one.split("\t")[0] ?? "");
  }

  withFish.each(HOSTILE_NAMES)("the tab key completes a name: %s", async (name) => {
    const { env } = await serverWith(name);
    expect(await offered("svcctl auth users show --id z", env)).toEqual([name]);
  });

  withFish.each(BEGUN)("a word that was begun in quotes goes on: %s", async (begun, prefix) => {
    const server = await serverWith("z$(touch)");
    expect(await offered(`svcctl auth users show --id ${begun}`, server.env)).toEqual(["z$(touch)"]);
    expect(server.asked[0]?.line).toContain(`prefix=${prefix}&`);
  });

  withFish("commands and values are offered", async () => {
    const { env } = await serverWith("none");
    expect(await offered("svcctl auth us", env)).toEqual(["users"]);
    expect(await offered("svcctl auth groups acl set --permission=Wr", env)).toEqual(["--permission=Write"]);
  });
});
