/** The rendered manual, as a package carries it: the content of every page without the frame around it. */

/** A heading of a page. */
export interface Heading {
  readonly level: number;
  /** Plain text. */
  readonly text: string;
  readonly anchor: string;
}

/** A part of a page, from one heading to the next, for the search. */
export interface Section extends Heading {
  /** Its text without markup. */
  readonly body: string;
}

/** A page by its path below the manual; "/" is the first page. */
export interface ContentPage {
  readonly path: string;
  readonly title: string;
  readonly html: string;
  /** Headings of the second and third level become its table of contents. */
  readonly headings: readonly Heading[];
}

/** A link of the list of pages. */
interface NavLink {
  readonly title: string;
  readonly address: string;
}

/** A part of the list of pages. */
export interface NavGroup {
  readonly title: string;
  readonly links: readonly NavLink[];
}

/** A part of a page that a search finds. */
export interface SearchEntry extends Section {
  readonly page: string;
  readonly address: string;
}

/** All pages. */
export interface RenderedManual {
  readonly pages: readonly ContentPage[];
  readonly entries: readonly SearchEntry[];
  readonly nav: readonly NavGroup[];
}
