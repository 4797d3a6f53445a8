/**
 * `node:http` and `node:https` for a program that ends soon. An import statement reads all their exports, and one of them
 * loads all of `fetch`, which takes as long as a call does.
 */

export const http = process.getBuiltinModule("node:http");
export const https = process.getBuiltinModule("node:https");
