/** Tasks that a data server works on while svcctl asks how far they are. */

import { setTimeout as wait } from "node:timers/promises";
import type { ApiClient, JsonObject } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { durationOf } from "../duration-option.ts";
import { textField } from "../output/fields.ts";

/** Shortest time between two questions, in milliseconds. */
const SHORTEST_MS = 1_000;
/** Longest time of a timer: one that is to ring later rings at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Values of `--poll-interval` and `--timeout`, in milliseconds. */
interface PollSettings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Reads the options. Throws an Error when the interval is too short. */
export function pollSettingsOf(call: CommandCall): PollSettings {
  const intervalMs = Math.min(durationOf(call, "pollInterval", "poll-interval"), LONGEST_TIMER_MS);
  if (intervalMs < SHORTEST_MS) throw new Error(`Poll interval must be at least ${SHORTEST_MS / 1000}s`);
  return { intervalMs, timeoutMs: durationOf(call, "timeout", "timeout") };
}

/**
 * Asks until the task is done.
 * @param verb names the task in messages, such as `Refs dump`
 * @returns what the server says of the task that is done
 * @throws Error when the task failed, or did not move for too long
 */
export async function pollTask(
  api: ApiClient,
  request: { readonly path: readonly string[]; readonly taskId: string; readonly verb: string },
  { intervalMs, timeoutMs }: PollSettings,
): Promise<JsonObject> {
  const { path, taskId, verb } = request;
  const began = Date.now();
  for (;;) {
    const query = { task_id: taskId };
    const status = await api.fetchObject({ method: "GET", path, query, expect: 200 });
    if (status["done"] === true) {
      const error = textField(status, "error");
      if (error !== "") throw new Error(`${verb} failed: ${error}`);
      return status;
    }
    const told = Date.parse(textField(status, "update_time"));
    // A server that does not say when it moved may have stopped long ago.
    const moved = Number.isNaN(told) ? began : told;
    if (timeoutMs >= 0 && Date.now() - moved > timeoutMs) throw new Error("task not completed");
    await wait(intervalMs);
  }
}
