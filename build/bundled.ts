// The packages whose code the published service carries. Alone, so that the container image needs no bundler to read it.

/**
 * Of these, a start would read and link a hundred files: a tenth of its CPU time. All are JavaScript without threads,
 * native parts or files of their own.
 */
export const BUNDLED: readonly string[] = [
  "commander",
  "cookie",
  "helmet",
  "ipaddr.js",
  "jose",
  "jsonc-parser",
  "lru-cache",
  "yaml",
];
