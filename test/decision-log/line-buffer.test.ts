/** Lines are written to memory many at a time, and each is chained to the one before. */

import { lineDigest, NO_DIGEST } from "@svc-authorizer/policy/records/digests.ts";
import fc from "fast-check";
import { expect, it } from "vitest";
import { checkLine, type LineText } from "../../src/decision-log/chain/chain-line.ts";
import { LineBuffer } from "../../src/decision-log/chain/line-buffer.ts";

interface Line {
  readonly text: string;
  readonly isLong: boolean;
}

const line: fc.Arbitrary<Line> = fc.record({
  // Of a few letters, texts of ASCII stand together often enough.
  text: fc.oneof(fc.string({ maxLength: 3 }), fc.string({ unit: "binary", maxLength: 20 })),
  isLong: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, fc.boolean()),
});

function textOf({ text, isLong }: Line): LineText {
  const head = `{"text":${JSON.stringify(text)}`;
  return isLong ? { head, items: Buffer.from(',"items":["é"]'), tail: ',"counts":"ü"' } : { head };
}

it("each line is sound and follows the one before, whatever is written with it", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 200 }), (lines) => {
      const buffer = new LineBuffer(NO_DIGEST);
      for (const one of lines) buffer.add(textOf(one));
      const taken = buffer.take();
      const bytes = Buffer.concat([...taken.blocks]);
      expect(taken).toMatchObject({ bytes: bytes.length, lines: lines.length });
      let prev = NO_DIGEST;
      let start = 0;
      for (const { text, isLong } of lines) {
        const end = bytes.indexOf("\n", start);
        const written = bytes.subarray(start, end);
        expect(checkLine(written)).toEqual({ fault: undefined, prev });
        const counts = isLong ? { items: ["é"], counts: "ü" } : {};
        expect(JSON.parse(written.toString())).toMatchObject({ text, ...counts });
        prev = lineDigest(written);
        start = end + 1;
      }
      expect(start).toBe(bytes.length);
      expect(buffer.digest).toBe(prev);
    }),
  );
});
