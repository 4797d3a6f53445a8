/** The review of access: administrators in effect, access that nobody uses, smaller policies that would do, old keys. */

import { useLocation } from "preact-iso";
import { useAnswer } from "../../api/hooks.ts";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/section.tsx";
import { Alert } from "../../parts/states/alert.tsx";
import { Loading } from "../../parts/states/loading.tsx";
import { Notes } from "../../parts/states/warnings.tsx";
import { Administrators } from "./administrators.tsx";
import { ReviewedAccess } from "./reviewed-access.tsx";
import { Suggestion } from "./suggestion.tsx";
import { Unused } from "./unused.tsx";

const PERIODS = [7, 30, 90, 180, 365] as const;
const DEFAULT_DAYS = 90;

/** The page. Its address holds the period. */
export default function ReviewPage() {
  const { query, route } = useLocation();
  const days = Number(query["days"]) || DEFAULT_DAYS;
  const since = startOf(days);
  const review = useAnswer("GET /auth/access/review", { query: { since } }, { isHeavy: true });
  const { data, error } = review;
  const period = (
    <label class="check">
      Period
      <select
        value={days}
        onChange={(event) =>
          route(`/review?${new URLSearchParams({ ...query, days: event.currentTarget.value })}`)
        }
      >
        {PERIODS.map((one) => (
          <option key={one} value={one}>
            {one} days
          </option>
        ))}
      </select>
    </label>
  );
  const file = `/api/v1/auth/access/review?since=${encodeURIComponent(since)}`;
  return (
    <Page
      title="Review"
      help="access-review"
      actions={
        <>
          {period}
          <a class="button" href={file} download="access-review.json" target="_self">
            Export
          </a>
        </>
      }
    >
      <Alert error={error} />
      {data === undefined && error === null && (
        <Loading what="the review, which takes up to a minute for a large directory" />
      )}
      <Notes texts={data?.warnings ?? []} />
      {data !== undefined && (
        <Section
          title="Administrators in effect"
          about="Who may give rights to anybody, oneself included, or can get there by steps that are allowed today."
        >
          <Administrators of={data} />
        </Section>
      )}
      <Section title="Unused access" about={`Nothing of this decided anything in the last ${days} days.`}>
        <Unused since={since} />
      </Section>
      <Section
        title="Suggestions"
        about="The smallest policy that allows all that was used, and nothing that is not allowed today."
      >
        <Suggestion since={since} />
      </Section>
      {data !== undefined && (
        <Section title="Who may what" about="Users with the same groups and policies stand together.">
          <ReviewedAccess of={data} />
        </Section>
      )}
    </Page>
  );
}

/** The start of a day so many days ago, so that the question stays the same for a day. */
function startOf(days: number): string {
  const date = new Date(Date.now() - days * 86_400_000);
  return `${date.toISOString().slice(0, 10)}T00:00:00Z`;
}
