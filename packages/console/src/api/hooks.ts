/** Answers of the API within components: kept, shared and renewed by TanStack Query. */

import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/preact-query";
import { ApiError } from "./api-error.ts";
import {
  type Answer,
  type AnswerWithWarnings,
  callWithWarnings,
  type Input,
  type OperationName,
} from "./call.ts";
import { callUntilFound } from "./call-until-found.ts";

/** For how long an answer is shown without asking again, in ms. */
const FRESH_FOR = 10_000;

/**
 * Creates the store of answers.
 * @param onSessionEnd is called when any call finds that the caller has to sign in again
 */
export function newQueryClient(onSessionEnd: () => void): QueryClient {
  const onError = (error: unknown): void => {
    if (error instanceof ApiError && error.sessionEnded) onSessionEnd();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_FOR,
        // What the service refused it refuses again; what did not reach it is tried twice more.
        retry: (failures, error) => failures < 2 && error instanceof ApiError && isPassing(error.status),
      },
      mutations: { onError, retry: false },
    },
  });
}

function isPassing(status: number): boolean {
  return status === 0 || status === 503;
}

/** Options of {@link useAnswer}. */
interface AnswerOptions<O extends OperationName> {
  /** False: not asked yet. */
  readonly enabled?: boolean;
  /** Show the answer to the input before while the next one is on its way. */
  readonly keepPrevious?: boolean;
  /** True for what takes the service long: where it had no time for it, it is not asked again by itself. */
  readonly isHeavy?: boolean;
  /** The time after which the answer is asked for again, in ms. */
  readonly refetchInterval?: (answer: Answer<O> | undefined) => number;
}

/** Asks an operation that changes nothing. */
export function useAnswer<O extends OperationName>(
  operation: O,
  input: Input<O>,
  { enabled = true, keepPrevious = false, isHeavy = false, refetchInterval }: AnswerOptions<O> = {},
): UseQueryResult<Answer<O>, Error> {
  return useQuery({
    queryKey: [operation, input],
    queryFn: async ({ signal }) => (await callUntilFound(operation, input, signal)) ?? null,
    enabled,
    ...(isHeavy ? { retry: false } : {}),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    ...(refetchInterval === undefined
      ? {}
      : {
          refetchInterval: ({ state }: { readonly state: { readonly data: unknown } }) =>
            refetchInterval(state.data as Answer<O> | undefined),
        }),
  }) as UseQueryResult<Answer<O>, Error>;
}

/** Options of {@link useChange}. */
interface ChangeOptions {
  /** True where the page is left after the change, as what it shows is gone then. */
  readonly leavesPage?: boolean;
}

/** Makes changes by an operation; afterwards everything that is on the page is asked for again. */
export function useChange<O extends OperationName>(
  operation: O,
  { leavesPage = false }: ChangeOptions = {},
): UseMutationResult<AnswerWithWarnings<O>, Error, Input<O>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<O>) => callWithWarnings(operation, input),
    onSuccess: () => client.invalidateQueries({ refetchType: leavesPage ? "none" : "active" }),
    onError: (error: Error) => client.getQueryCache().config.onError?.(error, undefined as never),
  });
}

/** Returns a function that asks an operation once, when somebody acts, as {@link useAnswer} does for what is shown. */
export function useAsk<O extends OperationName>(operation: O): (input: Input<O>) => Promise<Answer<O>> {
  const client = useQueryClient();
  return (input) =>
    client.fetchQuery({
      queryKey: [operation, input],
      queryFn: async ({ signal }) => (await callWithWarnings(operation, input, signal)).answer,
      retry: false,
      staleTime: 0,
    });
}
