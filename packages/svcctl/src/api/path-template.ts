/** Paths of the API as data: segments that are fixed, and segments that an option fills. */

import type { CommandCall } from "../command.ts";
import { given } from "../given.ts";
import type { UriKind } from "../uri/svc-uri.ts";
import { uriArgument } from "../uri/uri-argument.ts";
import type { ApiClient } from "./api-client.ts";
import { namedOrCurrentUser } from "./current-user.ts";

/** One segment. */
export type PathPart = string | OptionPart | UriPart;

/** A segment from a URI among the arguments. */
interface UriPart {
  /** Place of the argument. */
  readonly argument: number;
  /** Its name in messages, such as "branch URI". */
  readonly name: string;
  readonly kind: UriKind;
  readonly part: "repository" | "ref";
}

/** A segment from an option. */
interface OptionPart {
  /** Camel-case name of the option. */
  readonly option: string;
  /** Without the option: the user whose access key is in use (spec/management-cli §1). */
  readonly orSelf?: true;
}

/** The segments of a path. Asks the server for the current user where a part needs that. */
export async function fillPath(
  api: ApiClient,
  call: CommandCall,
  parts: readonly PathPart[],
): Promise<readonly string[]> {
  const path: string[] = [];
  for (const part of parts) {
    if (typeof part === "string") path.push(part);
    else if ("argument" in part) path.push(uriArgument(call, part.argument, part.name, part.kind)[part.part]);
    else if (part.orSelf === true) path.push(await namedOrCurrentUser(api, call, part.option));
    else path.push(given(call, part.option));
  }
  return path;
}
