/** Answers of calls that commit nothing: they rest on a state that is proved to be the newest (spec/journal §2.8). */

import { isErrorCode, tellsOfState } from "@svc-authorizer/policy/errors.ts";

/** A piece of work of a call. */
interface ProvingWork<T> {
  readonly call: { isProven: boolean; readonly hasRead: boolean };
  readonly work: () => T | Promise<T>;
  /** True: where it throws nothing, the call goes on. */
  readonly isRefusalOnly: boolean;
  /** Differs once the state has gone on or was made anew. */
  readonly state: () => unknown;
  /** Resolves once a read that was sent after the call has proved the state; sets the revision of the call. */
  readonly prove: () => Promise<void>;
}

/**
 * Runs work. Where it answers without a commit, the state is proved; where that has moved since, the work runs again, and
 * answers without another proof: that would never end while others write.
 */
export async function provenAnswer<T>({
  call,
  work,
  isRefusalOnly,
  state,
  prove,
}: ProvingWork<T>): Promise<T> {
  if (call.isProven) return work();
  const before = state();
  let answer: () => T;
  try {
    const result = await work();
    if (isRefusalOnly) return result;
    answer = () => result;
  } catch (error) {
    const isOfForm = isErrorCode(error, "invalid_request") && !call.hasRead;
    if (call.isProven || !tellsOfState(error) || isOfForm) throw error;
    answer = () => {
      throw error;
    };
  }
  if (call.isProven) return answer();
  await prove();
  call.isProven = true;
  return state() === before ? answer() : work();
}
