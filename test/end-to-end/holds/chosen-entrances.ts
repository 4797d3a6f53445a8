/** All that a run asks and fills: everything where the proof is whole, else each kind of work at one place. */

import { isWhole } from "../../proofs/size.ts";
import { allEntrances, type Entrance, type ManyPlace, placeName } from "./entrances.ts";
import { LISTS_IN_TEXTS } from "./lists-in-texts.ts";

/** All entrances; what takes away comes last. */
export const entrances = allEntrances().toSorted(
  (a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"),
);

/** The call of an entrance, as the other listener has it, too. */
export const callOf = ({ method, template, type }: Entrance): string =>
  `${method} ${template.replace(/^\/(?:access|api)\/v1(?:\/auth)?\//, "")} ${type}`;

/** The entrances to ask: where the proof is not whole, calls that both listeners have at one of them, in turns. */
export const asked = isWhole
  ? entrances
  : [...Map.groupBy(entrances, callOf).values()].flatMap((same, index) => same[index % same.length] ?? []);

/** Entrances that read the same parts: documents, simulations, and policies. */
const FAMILIES = [/\/(?:apply|lint|compare)$/, /\/simulate$/, /\/auth\/policies(?:\/\{policyId\})?$/];

/** The name of a part, wherever its family has it: cases of simulations are simulations, and policies have several places. */
function partName(place: ManyPlace): string {
  const name = place.kind === "text" ? `${place.path.join(".")} as text` : placeName(place);
  return name
    .replace(/^(?:documents\.0|document|cases\.0)\./, "")
    .replace(/^(?:(?:candidate\.)?replace|policies)\.0\./, "");
}

/** The places to fill in this run: where the proof is not whole, each part that a family has several times, once. */
const filledOnce: ReadonlySet<ManyPlace> = new Set(
  FAMILIES.flatMap((family) => {
    const places = asked.filter(({ template }) => family.test(template)).flatMap((one) => placesOfTexts(one));
    return [...Map.groupBy(places, partName).values()].map((same, index) => same[index % same.length]);
  }).filter((place) => place !== undefined),
);

/** The places of an entrance; where the proof is not whole, of a text one of the lists, another for each text. */
function placesOfTexts({ places }: Entrance): readonly ManyPlace[] {
  let texts = 0;
  return places.filter(({ kind, alternative }) => {
    if (kind !== "text" || isWhole) return true;
    if (alternative === 0) texts++;
    return alternative === texts % LISTS_IN_TEXTS.length;
  });
}

/** The places of an entrance that are filled in this run. */
export function placesToFill(entrance: Entrance): readonly ManyPlace[] {
  const isShared = !isWhole && FAMILIES.some((family) => family.test(entrance.template));
  return placesOfTexts(entrance).filter((place) => !isShared || filledOnce.has(place));
}
