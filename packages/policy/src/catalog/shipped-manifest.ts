/** Written by `packages/policy/test/catalog/write-manifest.ts`. */

/** Digest of the manifest that ships. A test finds that the files which it names fit their schemas. */
export const SHIPPED_MANIFEST = "63fc447af3c75d4ea5c70027fd8b7fc74106dda39346d0f12058bdc02baf42b8";
