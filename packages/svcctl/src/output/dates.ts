/** Dates in the form of `lakectl`: `2006-01-02 15:04:05 -0700 MST`, in the local time zone. */

/**
 * The text of a moment.
 * @param seconds Unix time; anything but a number gives ""
 */
export function formatDate(seconds: unknown): string {
  if (typeof seconds !== "number" || !Number.isFinite(seconds)) return "";
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return "";
  const day = `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => pad(part)).join(":");
  return `${day} ${time} ${offsetOf(date)} ${zoneOf(date)}`;
}

/**
 * The text of a moment that is given in RFC 3339, in the form in which Go prints it: with its own offset, which is its
 * zone too unless that is UTC, and with fractions of a second.
 * @param text anything but such a text gives itself, or ""
 */
export function formatTime(text: unknown): string {
  if (typeof text !== "string") return "";
  const parts = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(?:Z|([+-]\d\d):(\d\d))$/.exec(text);
  if (parts === null) return text;
  const [, day, time, fraction = "", hours, minutes] = parts;
  const digits = fraction.replace(/\.?0+$/, "");
  if (hours === undefined) return `${day} ${time}${digits} +0000 UTC`;
  return `${day} ${time}${digits} ${hours}${minutes} ${hours}${minutes}`;
}

function pad(value: number, length = 2): string {
  return String(value).padStart(length, "0");
}

/** `+0200`. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${pad(Math.floor(size / 60))}${pad(size % 60)}`;
}

/** Locales that are tried in turn: each knows the abbreviations of the zones that its region uses. */
const LOCALES = ["en-US", "en-GB", "en-CA", "en-AU", "en-NZ", "en-IN", "en-ZA", "ja-JP"];

/** `CEST`; for a zone without an abbreviation, the offset in hours as the time zone database writes it. */
function zoneOf(date: Date): string {
  // The first formatter takes longer than all other work of a short command.
  if (date.toString().endsWith("(Coordinated Universal Time)")) return "UTC";
  for (const locale of LOCALES) {
    const parts = new Intl.DateTimeFormat(locale, { timeZoneName: "short" }).formatToParts(date);
    const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    if (/^[A-Z]{3,5}$/.test(name)) return name;
  }
  return offsetOf(date).replace(/00$/, "");
}
