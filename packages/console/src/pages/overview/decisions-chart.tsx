/** Decisions over the last six hours as bars, drawn here: two colours in one row of bars need no library. */

import type { Status } from "@svc-authorizer/contract/management-api.gen.ts";

type Minute = NonNullable<Status["decisions"]>["minutes"][number];

/** Minutes of one bar, and bars: six hours. */
const MINUTES_OF_BAR = 5;
const BARS = 72;
const WIDTH = 720;
const HEIGHT = 120;
const MS_OF_BAR = MINUTES_OF_BAR * 60_000;
const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

interface Bar {
  readonly at: number;
  readonly allowed: number;
  readonly refused: number;
}

/** Shows the chart with its figures in words. */
export function DecisionsChart({ minutes }: { readonly minutes: readonly Minute[] }) {
  const bars = barsOf(minutes, Date.now());
  const most = Math.max(1, ...bars.map(({ allowed, refused }) => allowed + refused));
  const [allowed, refused] = [sum(bars, "allowed"), sum(bars, "refused")];
  const words = `${count(allowed)} allowed and ${count(refused)} refused in the last six hours`;
  const wide = WIDTH / BARS;
  const scale = (value: number): number => (value / most) * HEIGHT;
  return (
    <figure class="chart">
      <figcaption>
        <span class="effect allow">{count(allowed)} allowed</span> and{" "}
        <span class="effect deny">{count(refused)} refused</span> in the last six hours.
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={words} preserveAspectRatio="none">
        {bars.map(({ at, allowed: up, refused: down }, index) => (
          <g key={at}>
            <title>{`${CLOCK.format(at)}: ${count(up)} allowed, ${count(down)} refused`}</title>
            <rect class="hit" x={index * wide} y={0} width={wide} height={HEIGHT} />
            <rect
              class="allowed"
              x={index * wide + 1}
              y={HEIGHT - scale(up)}
              width={wide - 2}
              height={scale(up)}
            />
            <rect
              class="refused"
              x={index * wide + 1}
              y={HEIGHT - scale(up) - scale(down)}
              width={wide - 2}
              height={scale(down)}
            />
          </g>
        ))}
      </svg>
      <p class="axis quiet-text">
        <span>{CLOCK.format(bars[0]?.at)}</span>
        <span>at most {count(most)} in five minutes</span>
        <span>now</span>
      </p>
    </figure>
  );
}

/** Bars of equal time up to now; minutes without decisions are not listed, so most may be empty. */
function barsOf(minutes: readonly Minute[], now: number): readonly Bar[] {
  const last = Math.floor(now / MS_OF_BAR);
  const bars = Array.from({ length: BARS }, (_, index) => ({
    at: (last - BARS + 1 + index) * MS_OF_BAR,
    allowed: 0,
    refused: 0,
  }));
  for (const { at, allowed, refused } of minutes) {
    const bar = bars[Math.floor(Date.parse(at) / MS_OF_BAR) - last + BARS - 1];
    if (bar === undefined) continue;
    bar.allowed += allowed;
    bar.refused += refused;
  }
  return bars;
}

function sum(bars: readonly Bar[], part: "allowed" | "refused"): number {
  return bars.reduce((total, bar) => total + bar[part], 0);
}

function count(value: number): string {
  return value.toLocaleString("en");
}
