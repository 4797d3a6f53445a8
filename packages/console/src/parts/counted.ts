/** Numbers with the nouns that they count. */

/** A number and its noun: "1 user", "1,200 users". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
