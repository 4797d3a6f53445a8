/** Written by `packages/policy/test/catalog/write-manifest.ts`. */

/** Digest of the manifest that ships. A test finds that the files which it names fit their schemas. */
export const SHIPPED_MANIFEST = "924ca19720a9e8e321129910f616fc72ea1483efa12cf341c511cf2c43f2da66";
