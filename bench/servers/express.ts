/** The same as `bare.ts` through Express and its JSON parser. */
import type { AddressInfo } from "node:net";
import express from "express";

const app = express();
app.disable("x-powered-by");
app.use(express.json());
app.post("/", (_request, response) => {
  response.json({ decision: true });
});
const server = app.listen(0, "127.0.0.1", () =>
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));
