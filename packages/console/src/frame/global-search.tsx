/** Search across users, groups and policies, by a part of their names. */

import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useAnswer } from "../api/hooks.ts";
import { groupPage, policyPage, userPage } from "../parts/links.ts";
import { Name } from "../parts/name.tsx";
import { Alert } from "../parts/states/alert.tsx";
import { useDelayed } from "../parts/states/use-delayed.ts";
import { useSession } from "./session.tsx";

/** Most results of each kind. */
const AMOUNT = 6;

interface Found {
  readonly kind: string;
  readonly name: string;
  readonly href: string;
}

/** Results of a search. */
interface Search {
  readonly results: readonly Found[];
  readonly isAsking: boolean;
  /** The reason why not all names were looked through. */
  readonly error: unknown;
}

/** Searches what the person may list. */
function useFound(part: string): Search {
  const { actions } = useSession();
  const input = { query: { search: part, amount: AMOUNT } };
  const asked = part !== "";
  const options = (action: string) => ({ enabled: asked && actions.has(action) });
  const users = useAnswer("GET /auth/users", input, options("auth:ListUsers"));
  const groups = useAnswer("GET /auth/groups", input, options("auth:ListGroups"));
  const policies = useAnswer("GET /auth/policies", input, options("auth:ListPolicies"));
  const of = (
    kind: string,
    page: (name: string) => string,
    found: readonly { readonly id: string }[] = [],
  ): Found[] => found.map(({ id }) => ({ kind, name: id, href: page(id) }));
  // All at once, and none of another text: Enter opens the first, whichever kind is answered first.
  const isAsking = users.isLoading || groups.isLoading || policies.isLoading;
  return {
    results:
      asked && !isAsking
        ? [
            ...of("User", userPage, users.data?.results),
            ...of("Group", groupPage, groups.data?.results),
            ...of("Policy", policyPage, policies.data?.results),
          ]
        : [],
    isAsking,
    error: users.error ?? groups.error ?? policies.error,
  };
}

/** The search of the header: a combobox, which `/` focuses. */
export function GlobalSearch() {
  const { route } = useLocation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const part = useDelayed(text.trim());
  const found = useFound(part);
  const isSettled = part === text.trim();
  const results = isSettled ? found.results : [];
  const isAsking = found.isAsking || !isSettled;
  const shown = open && part !== "";
  useSlash(input);
  const go = ({ href }: Found): void => {
    setText("");
    setOpen(false);
    // The page that opens, or is open already, has the focus next.
    document.getElementById("page")?.focus();
    route(href);
  };
  const setOpensNext = useOpensNext({ results, isAsking }, go);
  const close = (): void => {
    setOpen(false);
    setOpensNext(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && results.length > 0) {
      event.preventDefault();
      setAt((at + step + results.length) % results.length);
    } else if (event.key === "Enter") {
      const chosen = results[at];
      setOpen(true);
      // What is not shown yet is not opened yet: the person does not see what it would be.
      if (shown && chosen !== undefined) go(chosen);
      else setOpensNext(isAsking && text.trim() !== "");
    } else if (event.key === "Escape") close();
  };
  return (
    <search class="global-search">
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search users, groups and policies"
        placeholder="Search users, groups, policies  /"
        aria-expanded={shown}
        aria-controls="global-results"
        aria-autocomplete="list"
        aria-activedescendant={shown && results.length > 0 ? `global-result-${at}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
          setOpensNext(false);
          setOpen(true);
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setOpen(true)}
        onBlur={close}
      />
      <Results {...{ results, at, shown, isAsking, error: found.error, go }} />
    </search>
  );
}

/** Returns what decides whether the first result is opened as soon as the results are there. */
function useOpensNext(
  { results, isAsking }: Pick<Search, "results" | "isAsking">,
  go: (found: Found) => void,
): (opensNext: boolean) => void {
  const [opensNext, setOpensNext] = useState(false);
  useEffect(() => {
    if (!opensNext || isAsking) return;
    setOpensNext(false);
    const first = results[0];
    if (first !== undefined) go(first);
  }, [opensNext, isAsking]);
  return setOpensNext;
}

interface ResultsProps extends Search {
  readonly at: number;
  readonly shown: boolean;
  readonly go: (found: Found) => void;
}

function Results({ results, at, shown, isAsking, error, go }: ResultsProps) {
  return (
    <div class="global-results" hidden={!shown}>
      <div id="global-results" role="listbox" aria-label="Found">
        {results.map((found, index) => (
          <div
            key={found.href}
            id={`global-result-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onMouseDown={(event) => {
              event.preventDefault();
              go(found);
            }}
          >
            <Name text={found.name} />
            <span class="kind">{found.kind}</span>
          </div>
        ))}
      </div>
      {!isAsking && <Alert error={error} />}
      {results.length === 0 && isAsking && <p>Searching…</p>}
      {results.length === 0 && !isAsking && error === null && <p>No name has this text.</p>}
    </div>
  );
}

/** `/` outside a field goes to the search. */
function useSlash(input: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || target.closest("input, textarea, select, [contenteditable], dialog") !== null)
        return;
      event.preventDefault();
      input.current?.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
