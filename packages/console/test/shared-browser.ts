/** One browser for all test files of a process: its start takes longer than many a page. */
import { type Browser, chromium } from "playwright-core";

let shared: Promise<Browser> | undefined;

/**
 * The browser of this process, which ends with it; whoever opens a context of it closes that context.
 * @param executablePath of the browser, the same in each call
 */
export function sharedBrowser(executablePath: string): Promise<Browser> {
  shared ??= launch(executablePath).catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
  return shared;
}

async function launch(executablePath: string): Promise<Browser> {
  const launched = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
    handleSIGTERM: false,
  });
  // Vitest ends its workers by this signal: the browser takes its profile along, and the worker ends as without it.
  const end = (): void => {
    void launched.close().finally(() => process.kill(process.pid, "SIGTERM"));
  };
  process.once("SIGTERM", end);
  launched.once("disconnected", () => {
    process.off("SIGTERM", end);
    shared = undefined;
  });
  return launched;
}
