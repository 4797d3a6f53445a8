/** A statement by its policy and place, counted from zero as the API and svcctl do. */

import { policyPage } from "../links.ts";
import { Name } from "../name.tsx";

/** Properties of {@link StatementName}. */
interface StatementNameProps {
  readonly policy: string;
  /** Counted from zero. */
  readonly statement: number;
  readonly sid?: string | undefined;
  /** True within a list, whose entries commas part. */
  readonly isInList?: boolean;
}

/** Shows the policy as a link, the number of the statement, and its name where it has one. */
export function StatementName({ policy, statement, sid, isInList = false }: StatementNameProps) {
  return (
    <>
      <Name text={policy} href={policyPage(policy)} />
      {isInList ? " " : ", "}statement {statement}
      {sid !== undefined && (
        <>
          {" "}
          (<bdi>{sid}</bdi>)
        </>
      )}
    </>
  );
}
