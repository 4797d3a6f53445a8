/** `svcctl log`. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { QueryValue } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import { parseTime, TIME_FORMS } from "@svc-authorizer/commands/times.ts";
import { type JsonObject, openApi } from "../api/api-client.ts";
import { eachPage } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { jsonText } from "../output/json-text.ts";
import { nextPageOptions } from "../output/next-page.ts";
import { structuredText } from "../output/structured.ts";
import type { SvcUri } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import { dotCommit } from "./commit-graph.ts";
import { commitText, parentsOf } from "./commit-text.ts";

const LARGEST_PAGE = 1_000;

/** Prints commits from the newest on, all of them unless `--amount` says otherwise. */
export async function log(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const uri = uriArgument(call, 0, "ref URI", "ref");
  const wanted = Number(options["amount"] ?? 0) > 0 ? Number(options["amount"]) : Number.POSITIVE_INFINITY;
  // Of what is asked for, merges are left out.
  const page = Math.min(options["merges"] === false ? wanted * 3 : wanted, LARGEST_PAGE);
  const path = ["repositories", uri.repository, "refs", uri.ref, "commits"];
  const pages = eachPage(openApi(context), path, queryOf(call), { first: page, largest: page });
  const printer = printerOf(call, uri);
  let left = wanted;
  for await (const { results, next } of pages) {
    const fitting = results.filter((one) => options["merges"] !== false || parentsOf(one).length <= 1);
    left -= fitting.length;
    printer.print(left < 0 ? fitting.slice(0, left) : fitting, next);
    if (left <= 0) break;
  }
  await printer.end();
}

function queryOf({ options }: CommandCall): Record<string, QueryValue> {
  return {
    after: textOption(options, "after"),
    since: sinceOf(textOption(options, "since")),
    stop_at: textOption(options, "stopAt"),
    objects: namesOf(options["objects"], "Objects"),
    prefixes: namesOf(options["prefixes"], "Prefixes"),
    first_parent: options["firstParent"] === true,
    limit: options["limit"] === true,
  };
}

function namesOf(value: unknown, label: string): readonly string[] {
  const names: readonly string[] = Array.isArray(value) ? value : [];
  if (names.includes("")) throw new Error(`${label} list contains empty string!`);
  return names;
}

/** Returns RFC 3339. The message begins as that of the data server's own tool. */
function sinceOf(text: string | undefined): string | undefined {
  if (text === undefined || text === "") return undefined;
  const time = parseTime(text, Date.now());
  if (time !== undefined) return time.toISOString();
  throw new Error(`Failed to parse 'since' - ${JSON.stringify(text)}: expected ${TIME_FORMS}`);
}

/** Receives commits: prints each as it comes, or collects them into one document. */
interface Printer {
  /** @param next where the next page begins; undefined at the end */
  print(commits: readonly JsonObject[], next: string | undefined): void;
  end(): Promise<void>;
}

function printerOf(call: CommandCall, uri: SvcUri): Printer {
  const { context, options } = call;
  if (options["dot"] === true) {
    context.out('digraph {\n\trankdir="BT"\n');
    return {
      print: (commits) => context.out(commits.map((one) => dotCommit(one, uri.repository, context)).join("")),
      end: async () => context.out("\n}\n"),
    };
  }
  if (options["json"] === true || context.format !== "table") {
    const all: JsonObject[] = [];
    return {
      print: (commits) => void all.push(...commits),
      end: async () => {
        const { format } = context;
        const raw = options["json"] === true || format === "table";
        context.out(raw ? jsonText({ results: all }) : await structuredText(format, all));
      },
    };
  }
  const showMetaRange = options["showMetaRangeId"] === true;
  return {
    print: (commits, next) => {
      const text = commits.map((one) => commitText(one, context.style, showMetaRange)).join("");
      context.out(`${text}\n${hintAt(call, next)}`);
    },
    end: async () => {},
  };
}

/** Says how to get what follows, to people who asked for a number of commits. */
function hintAt({ context, options }: CommandCall, next: string | undefined): string {
  const amount = Number(options["amount"] ?? 0);
  if (next === undefined || amount <= 0 || !context.terminal) return "";
  return `for more results run with ${context.style.yellow(nextPageOptions(amount, next))}\n`;
}
