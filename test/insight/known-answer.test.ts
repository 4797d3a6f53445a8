import { expect, it } from "vitest";
import { KnownAnswer } from "../../src/insight/overview/known-answer.ts";

function asked(rememberedMs: number) {
  const questions: PromiseWithResolvers<string>[] = [];
  const errors: unknown[] = [];
  const ask = (): Promise<string> => {
    const question = Promise.withResolvers<string>();
    questions.push(question);
    return question.promise;
  };
  const answer = new KnownAnswer(ask, rememberedMs, (error) => errors.push(error));
  return { answer, questions, errors };
}

it("that takes long is waited for shortly, asked once, and known when it is there", async () => {
  const { answer, questions } = asked(60_000);
  expect(await Promise.all([answer.get(), answer.get()])).toEqual([undefined, undefined]);
  expect(questions).toHaveLength(1);
  questions[0]?.resolve("first");
  expect(await answer.get()).toBe("first");
  expect(await answer.get()).toBe("first");
  expect(questions).toHaveLength(1);
});

it("is given while the next one takes long", async () => {
  const { answer, questions } = asked(0);
  const first = answer.get();
  questions[0]?.resolve("first");
  expect(await first).toBe("first");
  expect(await answer.get()).toBe("first");
  expect(questions).toHaveLength(2);
  questions[1]?.resolve("second");
  expect(await answer.get()).toBe("second");
});

it("is not known after a failure, which is told, and asked again", async () => {
  const { answer, questions, errors } = asked(60_000);
  const first = answer.get();
  questions[0]?.reject(new Error("no index"));
  expect(await first).toBeUndefined();
  expect(errors.map(String)).toEqual(["Error: no index"]);
  const second = answer.get();
  questions[1]?.resolve("second");
  expect(await second).toBe("second");
});
