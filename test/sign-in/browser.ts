/** A browser without scripts: follows redirections and keeps cookies, for each host. */

/** The answer of the page at which it arrived. */
export interface Page {
  readonly url: string;
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A profile with cookies. */
export class TestBrowser {
  /** By origin, then by name. */
  readonly cookies = new Map<string, Map<string, string>>();
  /** The lines of `Set-Cookie` that it got. */
  readonly set: string[] = [];

  /** Opens an address and follows redirections, at most until one that `stop` tells. */
  async open(address: string, stop: (url: string) => boolean = () => false): Promise<Page> {
    let url = address;
    for (let steps = 0; steps < 20; steps++) {
      const answer = await fetch(url, { headers: { cookie: this.header(url) }, redirect: "manual" });
      this.#keep(url, answer.headers.getSetCookie());
      const location = answer.headers.get("location");
      const page = { url, status: answer.status, text: await answer.text(), headers: answer.headers };
      if (location === null) return page;
      url = new URL(location, url).href;
      if (stop(url)) return { ...page, url };
    }
    throw new Error("too many redirections");
  }

  /** The header with the cookies of an origin. */
  header(url: string): string {
    const cookies = this.cookies.get(new URL(url).origin) ?? new Map<string, string>();
    return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(url: string, lines: readonly string[]): void {
    const { origin } = new URL(url);
    const cookies = this.cookies.get(origin) ?? new Map<string, string>();
    this.cookies.set(origin, cookies);
    for (const line of lines) {
      this.set.push(line);
      const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
      const mark = pair.indexOf("=");
      const name = pair.slice(0, mark);
      const isOver = attributes.some(
        (one) => /^max-age=0$/i.test(one) || /^expires=thu, 01 jan 1970/i.test(one),
      );
      if (isOver) cookies.delete(name);
      else cookies.set(name, pair.slice(mark + 1));
    }
  }
}
