import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { openedEach } from "../../opened.ts";
import { startApi } from "./api-kit.ts";

const api = openedEach(() =>
  startApi({ "authorizer.limits.request_timeout": "2s", "authorizer.limits.queue": 4 }),
);

type Writable<T> = { -readonly [key in keyof T]: T[key] };

/** Lets every attachment to a group end in a way that is hard to bring about. */
function attachmentsEnd(how: () => Promise<void>): void {
  const groups: Writable<typeof api.authorizer.directory.groups> = api.authorizer.directory.groups;
  groups.attachPolicy = how;
}

const ATTACH = ["PUT", "/auth/groups/g/policies/p"] as const;

describe("a write that fails inside", () => {
  it("by lost races is 503: a client takes 409 for an attachment that is there already", async () => {
    attachmentsEnd(async () => {
      throw new AuthorizerError("conflict", "others were faster");
    });
    const answer = await api.call(...ATTACH);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("retry-after")).toBe("1");
  });

  it("by a store that does not work is 503", async () => {
    attachmentsEnd(async () => {
      throw new AuthorizerError("unavailable", "the store does not work");
    });
    expect((await api.call(...ATTACH)).status).toBe(503);
  });

  it("by a mistake of ours is 500 and shows nothing but an id", async () => {
    attachmentsEnd(async () => {
      throw new TypeError("x is not a function");
    });
    const { status, body } = await api.call(...ATTACH);
    expect(status).toBe(500);
    expect(body.message).toMatch(/^internal error [0-9a-f-]{36}$/);
  });
});

describe("calls that take too long", () => {
  it("are answered with 503 in time, and beyond the queue at once, while hot paths still go", async () => {
    let begun = 0;
    attachmentsEnd(() => {
      begun++;
      return new Promise(() => {});
    });
    let isOver = false;
    const waiting = [api.call(...ATTACH), api.call(...ATTACH)];
    for (const call of waiting)
      void call.then(() => {
        isOver = true;
      });
    await expect.poll(() => begun).toBe(2);
    const refused = await api.call(...ATTACH);
    expect(refused.status).toBe(503);
    expect(isOver).toBe(false);
    expect((await api.call("GET", "/auth/users/nobody")).status).toBe(404);
    expect((await api.call("GET", "/healthcheck")).status).toBe(204);
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(503);
  });
});
