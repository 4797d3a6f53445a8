/** Port: mirrors, which `mirroring` implements. */

import type { AskedMirror, ShownMirror } from "../../../mirroring/administration.ts";
import type { BranchPatterns } from "../../../mirroring/branch-selection.ts";
import type { Mirror } from "../../../mirroring/mirror.ts";

/** The use cases; each throws AuthorizerError with a text for people. */
export interface Mirrors {
  create(asked: AskedMirror): Promise<ShownMirror>;
  /** Names of the regions that may have mirrors. */
  readonly regions: readonly string[];
  all(): Promise<readonly Mirror[]>;
  list(source: string): Promise<readonly Mirror[]>;
  /** All that is known of a mirror that was listed. */
  show(mirror: Mirror): Promise<ShownMirror>;
  get(source: string, name: string): Promise<ShownMirror>;
  setBranches(source: string, name: string, branches: BranchPatterns, actor: string): Promise<ShownMirror>;
  /** True once the mirror is gone, false while its data server has not answered. */
  delete(source: string, name: string, forget: boolean, actor: string): Promise<boolean>;
}
