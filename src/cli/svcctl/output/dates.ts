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
  for (const locale of LOCALES) {
    const parts = new Intl.DateTimeFormat(locale, { timeZoneName: "short" }).formatToParts(date);
    const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
    if (/^[A-Z]{3,5}$/.test(name)) return name;
  }
  return offsetOf(date).replace(/00$/, "");
}
