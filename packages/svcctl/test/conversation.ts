/** Conversations of svcctl with a real data server: how they are kept, and how they are played again. */
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join, relative } from "node:path";
import { buffer } from "node:stream/consumers";

/** One call, and its answer. */
export interface Exchange {
  method: string;
  /** With its query. */
  path: string;
  /** The body that was sent, where it was text. */
  sent?: string;
  status: number;
  headers: Record<string, string>;
  /** The body that was answered. */
  answer: string;
}

/** One command line, with everything it needs. */
export interface Step {
  args: string[];
  stdin?: string;
  /** Files that are put into the working folder before. */
  files?: Record<string, string>;
  /** Time to wait before, in milliseconds, where it is recorded. */
  pause?: number;
}

/** A file of the working folder: content, and time of its last change in seconds. */
interface PlacedFile {
  content: string;
  mtime: number;
}

/** A command line with what it did. */
export interface Conversation extends Omit<Step, "files" | "pause"> {
  /** The files of the working folder that the command finds, by their paths. */
  files: Record<string, PlacedFile>;
  exchanges: Exchange[];
  code: number;
  stdout: string;
  stderr: string;
}

/** Time of files that a step puts into the folder, in seconds: it is among what is sent. */
const MTIME = 1_767_600_000;

/** Puts files of a step into the folder. */
export function writeFiles(folder: string, files: Record<string, string> = {}): void {
  placeFiles(
    folder,
    Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { content, mtime: MTIME }])),
  );
}

/** Puts files into the folder. */
export function placeFiles(folder: string, files: Record<string, PlacedFile>): void {
  for (const [path, { content, mtime }] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
    utimesSync(join(folder, path), mtime, mtime);
  }
}

/** The files of the folder. */
export function readFiles(folder: string): Record<string, PlacedFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const mtime = Math.floor(statSync(file).mtimeMs / 1000);
      return [relative(folder, file), { content: readFileSync(file, "utf8"), mtime }];
    }),
  );
}

/** Names that svcctl makes up differ between two runs. */
export function withoutRandomNames(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uuid>");
}

/** A task that is under way moved just now, whenever it was recorded: svcctl gives up one that does not move. */
function asOfNow(answer: string): string {
  if (!answer.startsWith('{"done":false,')) return answer;
  return answer.replace(/"update_time":"[^"]*"/, `"update_time":"${new Date().toISOString()}"`);
}

/** A server that answers as in a conversation; calls under way at once may come in any order. */
export async function playServer(exchanges: readonly Exchange[]) {
  const left = [...exchanges];
  const strange: string[] = [];
  const server = createServer(async (request, response) => {
    const sent = (await buffer(request)).toString("utf8");
    const line = withoutRandomNames(`${request.method} ${request.url}`);
    const index = left.findIndex(
      (one) =>
        withoutRandomNames(`${one.method} ${one.path}`) === line &&
        withoutRandomNames(one.sent ?? "") === withoutRandomNames(sent),
    );
    const [found] = index < 0 ? [] : left.splice(index, 1);
    if (found === undefined) {
      strange.push(`${line} ${sent}`);
      response.writeHead(418).end();
      return;
    }
    response.writeHead(found.status, found.headers).end(asOfNow(found.answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, left, strange, close };
}
