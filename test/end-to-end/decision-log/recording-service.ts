/** The real service with a decision log of everything, which is on disk before each answer, and what it recorded. */

import { join } from "node:path";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { isDecision, type LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { expect } from "vitest";
import type { ConfigObject } from "../../../src/config/load.ts";
import { linesOf } from "../../decision-log/test-log.ts";
import { newFolder } from "../program.ts";

/** A running service. */
export class RecordingService {
  readonly authorizer: TestAuthorizer;
  /** Folder of its chain. */
  readonly folder: string;

  private constructor(authorizer: TestAuthorizer, folder: string) {
    this.authorizer = authorizer;
    this.folder = folder;
  }

  /** Starts it with a data set and further items of the configuration. */
  static async start(dataset: object, config: ConfigObject = {}): Promise<RecordingService> {
    const folder = newFolder();
    const authorizer = await startAuthorizer({
      dataset: dataset as DatasetDocument,
      config: {
        "authorizer.decision_log.include": "all",
        "authorizer.decision_log.directory": folder,
        "authorizer.decision_log.sync": "each",
        "authorizer.node_name": "n",
        ...config,
      },
    });
    return new RecordingService(authorizer, join(folder, "n-0"));
  }

  /** Its records, oldest first. */
  get records(): readonly LoggedDecision[] {
    return linesOf(this.folder).filter(isDecision);
  }

  /** The answer to a call of the decision API, which has to be 200. */
  async ask(path: string, body: string, contentType = "application/json"): Promise<string> {
    const { url, token } = this.authorizer;
    const answer = await fetch(`${url}/access/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": contentType },
      body,
    });
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return text;
  }

  /** The record of a call of the decision API. */
  async recordOf(path: string, body: unknown): Promise<LoggedDecision> {
    await this.ask(path, JSON.stringify(body));
    return this.records.at(-1) as LoggedDecision;
  }

  close(): Promise<void> {
    return this.authorizer.close();
  }
}
