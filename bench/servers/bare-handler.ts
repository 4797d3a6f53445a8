/** The yardstick's answer to a POST: the body is parsed, and the answer is a constant. */
import type { RequestListener } from "node:http";

const ANSWER = '{"decision":true}';

/** Answers as the yardstick does. */
export const answerBare: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    JSON.parse(Buffer.concat(chunks).toString("utf8"));
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": ANSWER.length });
    response.end(ANSWER);
  });
};
