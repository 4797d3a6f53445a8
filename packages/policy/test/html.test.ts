import { escapeHtml, xmlElement } from "@svc-authorizer/policy/html.ts";
import { expect, it } from "vitest";

it("a text in HTML opens no element and ends no attribute", () => {
  expect(escapeHtml(`<a href="x" id='y'>&`)).toBe("&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
});

it("a text in an element of XML is well-formed: no markup, no control characters, no half of a pair", () => {
  expect(xmlElement("Message", "<b>&\u0000\u001f\n\u007f\ud800é")).toBe(
    "<Message>&lt;b&gt;&amp;    \ufffdé</Message>",
  );
});
