import { describe, expect, it } from "vitest";
import { isAddress, parseSender } from "../../src/mail/addresses.ts";
import { invitationText } from "../../src/mail/invitation-text.ts";
import { mailSettings } from "../../src/mail/settings.ts";
import { explainFailure } from "../../src/mail/smtp.ts";
import { CONFIG } from "./kit.ts";

const content = {
  username: "alice",
  email: "alice@example.com",
  baseUrl: "https://data.example.com/base",
  token: "T0ken_-",
  expiresAt: Date.UTC(2026, 10, 28, 9, 5, 59),
};

describe("addresses", () => {
  it.each(["a@b", "first.last+tag@example.com", "Inv.60cd9b@x.io", "jörg@bücher.example", "a@sub.b.example"])(
    "%s is one",
    (text) => expect(isAddress(text)).toBe(true),
  );

  it.each([
    "",
    "alice",
    "@b",
    "a@",
    "a@b@c",
    "a@b,c@d",
    "a@b;c@d",
    "A <a@b>",
    "a b@c",
    "a@b c",
    '"a"@b',
    "a@[127.0.0.1]",
    "a@b\r\nBcc: c@d",
    "a@b\u0000",
    "a@b\u202E",
    "a@b\uD800",
    `${"a".repeat(250)}@b.example`,
  ])("%j is none", (text) => expect(isAddress(text)).toBe(false));

  it("of senders may have a name", () => {
    expect(parseSender("data@example.com")).toEqual({ name: "", address: "data@example.com" });
    expect(parseSender('"Data, Inc." <data@example.com>')).toEqual({
      name: "Data, Inc.",
      address: "data@example.com",
    });
    for (const text of ["Data", "Data <data>", "Data\r\nBcc: x <a@b>", "<a@b> <c@d>"]) {
      expect(parseSender(text)).toBeUndefined();
    }
  });
});

describe("the text of an invitation", () => {
  it("has the link, the user name and the end in text and HTML", () => {
    const { subject, text, html } = invitationText(content);
    expect(subject).toBe("Your invitation to data.example.com");
    for (const body of [text, html]) {
      expect(body).toContain("https://data.example.com/base/auth/invite?token=T0ken_-");
      expect(body).toContain("alice");
      expect(body).toContain("2026-11-28 09:05 UTC");
    }
  });

  it("gives names no way to add markup or lines", () => {
    const { subject, text, html } = invitationText({
      ...content,
      username: `<img src="x">&'\r\nhttps://evil.example\u2028\u202Ex`,
    });
    expect(subject).toBe("Your invitation to data.example.com");
    expect(text.split("\n").some((line) => line.startsWith("https://evil"))).toBe(false);
    expect(text).not.toMatch(/[\u2028\u202E]/);
    expect(html).not.toContain("<img");
    expect(html).toContain("&lt;img src=&quot;x&quot;&gt;&amp;&#39;");
  });
});

describe("the settings", () => {
  it("name every item that is to be set", () => {
    const nothing = {
      ...CONFIG,
      smtpHost: undefined,
      sender: undefined,
      baseUrl: "data.example.com",
      username: "u",
      burst: 0,
    };
    const names = ["smtp_host", "sender", "svc_base_url", "username", "password", "burst"];
    for (const name of names) expect(() => mailSettings(nothing)).toThrow(`email.${name}`);
    expect(() => mailSettings({ ...CONFIG, baseUrl: "https://x.example/?a=b" })).toThrow(
      "email.svc_base_url",
    );
    expect(() => mailSettings({ ...CONFIG, sender: "nobody" })).toThrow("email.sender");
  });

  it("take the submission ports where none is set", () => {
    const unset = { ...CONFIG, smtpPort: undefined };
    expect(mailSettings(unset).smtp).toMatchObject({ port: 587, implicitTls: false });
    expect(mailSettings({ ...unset, useSsl: true }).smtp).toMatchObject({ port: 465, implicitTls: true });
    expect(mailSettings(CONFIG).baseUrl).toBe("https://data.example.com/base");
  });
});

describe("a failure", () => {
  it("is the mail's own only where recipient or content were answered", () => {
    const answered = (command: string, responseCode: number) =>
      explainFailure({ command, responseCode, response: `${responseCode} 5.1.1 secret` });
    expect(answered("RCPT TO", 550)).toEqual({
      scope: "recipient",
      reason: "the mail server answered RCPT TO with 550 5.1.1",
    });
    expect(answered("DATA", 554).scope).toBe("recipient");
    expect(answered("RCPT TO", 450).scope).toBe("mail");
    expect(answered("DATA", 451).scope).toBe("mail");
    for (const step of ["MAIL FROM", "AUTH PLAIN", "EHLO", "CONN", "STARTTLS"]) {
      expect(answered(step, 550).scope).toBe("server");
    }
    expect(explainFailure(Object.assign(new Error("connect ECONNREFUSED"), { code: "ESOCKET" }))).toEqual({
      scope: "server",
      reason: "ESOCKET: connect ECONNREFUSED",
    });
    expect(explainFailure(undefined).scope).toBe("server");
  });
});
