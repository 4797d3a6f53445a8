/**
 * The values of a data server's sessions, in Go's gob format: exactly the frames that it writes (spec/sign-in §5). This is
 * no reader of gob: whatever differs by a byte is not read.
 */

/** A session: a login token, or the claims of an identity provider. */
export type SessionValue =
  | { readonly key: "token"; readonly token: string }
  | { readonly key: "id_token_claims" | "saml_token_claims"; readonly claims: ReadonlyMap<string, string> };

/** The definition of `map[interface{}]interface{}` as type 64, a message of its own. */
const MAP_TYPE = Buffer.from("0d7f040102ff8000011001100000", "hex");
/** A value of type 64 that has one entry. */
const ONE_ENTRY = Buffer.from("ff800001", "hex");
/** The registered name of the type of claims, with its length. */
const CLAIMS_NAME = textBytes("github.com/treeverse/lakefs/pkg/auth/oidc.Claims");
/** The definition of that type, a map of texts to interfaces, as type 65. */
const CLAIMS_TYPE = Buffer.from("ff8104010106436c61696d7301ff8200010c01100000", "hex");
/** The type of the second message. */
const CLAIMS_ID = Buffer.from("ff82", "hex");
const ZERO = Buffer.from([0]);
/** An interface that holds a text: the name of its type, and its number. */
const STRING_TYPE = Buffer.concat([textBytes("string"), Buffer.from([0x0c])]);

const MOST_CLAIMS = 128;
const CLAIM_KEYS = ["id_token_claims", "saml_token_claims"] as const;

/** The bytes of a session, as the data server would write them. */
export function writeSession(value: SessionValue): Buffer {
  const key = interfaceBytes(value.key);
  if (value.key === "token") {
    return Buffer.concat([MAP_TYPE, message(Buffer.concat([ONE_ENTRY, key, interfaceBytes(value.token)]))]);
  }
  const entries = [...value.claims].flatMap(([name, text]) => [textBytes(name), interfaceBytes(text)]);
  const map = Buffer.concat([ZERO, uintBytes(value.claims.size), ...entries]);
  return Buffer.concat([
    MAP_TYPE,
    message(Buffer.concat([ONE_ENTRY, key, CLAIMS_NAME, CLAIMS_TYPE])),
    message(Buffer.concat([CLAIMS_ID, message(map)])),
  ]);
}

/** The session that bytes hold; undefined for every other sequence of bytes. */
export function readSession(bytes: Buffer): SessionValue | undefined {
  try {
    const cursor = new Cursor(bytes);
    cursor.expect(MAP_TYPE);
    const first = cursor.part();
    const value = readFirst(first, cursor);
    cursor.end();
    return value;
  } catch (error) {
    if (error instanceof OtherFrame) return undefined;
    throw error;
  }
}

function readFirst(first: Cursor, rest: Cursor): SessionValue {
  first.expect(ONE_ENTRY);
  const key = first.interfaceText();
  if (key === "token") {
    const token = first.interfaceText();
    first.end();
    return { key, token };
  }
  const claimKey = CLAIM_KEYS.find((one) => one === key);
  if (claimKey === undefined) throw new OtherFrame();
  first.expect(CLAIMS_NAME);
  first.expect(CLAIMS_TYPE);
  first.end();
  const second = rest.part();
  second.expect(CLAIMS_ID);
  const map = second.part();
  second.end();
  return { key: claimKey, claims: readClaims(map) };
}

function readClaims(map: Cursor): ReadonlyMap<string, string> {
  map.expect(ZERO);
  const count = map.uint();
  if (count > MOST_CLAIMS) throw new OtherFrame();
  const claims = new Map<string, string>();
  for (let index = 0; index < count; index++) {
    const name = map.text();
    if (claims.has(name)) throw new OtherFrame();
    claims.set(name, map.interfaceText());
  }
  map.end();
  return claims;
}

/** Bytes that are not what is expected. */
class OtherFrame extends Error {}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** The first byte of a number of two and of three bytes; the largest one needs no more. */
const LONG_FORMS: ReadonlyMap<number, number> = new Map([
  [0xff, 1],
  [0xfe, 2],
]);

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(count: number): Buffer {
    const taken = this.#bytes.subarray(this.#at, this.#at + count);
    if (taken.length !== count) throw new OtherFrame();
    this.#at += count;
    return taken;
  }

  expect(bytes: Buffer): void {
    if (!this.take(bytes.length).equals(bytes)) throw new OtherFrame();
  }

  /** A number in its shortest form. */
  uint(): number {
    const [first = 0] = this.take(1);
    if (first < 0x80) return first;
    const length = LONG_FORMS.get(first);
    if (length === undefined) throw new OtherFrame();
    const value = this.take(length).readUIntBE(0, length);
    if (!uintBytes(value).equals(this.#bytes.subarray(this.#at - length - 1, this.#at)))
      throw new OtherFrame();
    return value;
  }

  /** The bytes that a length announces. */
  part(): Cursor {
    return new Cursor(this.take(this.uint()));
  }

  text(): string {
    const bytes = this.take(this.uint());
    try {
      return UTF8.decode(bytes);
    } catch {
      throw new OtherFrame();
    }
  }

  interfaceText(): string {
    this.expect(STRING_TYPE);
    const value = this.part();
    value.expect(ZERO);
    const text = value.text();
    value.end();
    return text;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new OtherFrame();
  }
}

function uintBytes(value: number): Buffer {
  if (value < 0x80) return Buffer.from([value]);
  if (value < 0x100) return Buffer.from([0xff, value]);
  return Buffer.from([0xfe, value >> 8, value & 0xff]);
}

function textBytes(text: string): Buffer {
  return message(Buffer.from(text, "utf8"));
}

/** Bytes after their length. */
function message(bytes: Buffer): Buffer {
  return Buffer.concat([uintBytes(bytes.length), bytes]);
}

function interfaceBytes(text: string): Buffer {
  return Buffer.concat([STRING_TYPE, message(Buffer.concat([ZERO, textBytes(text)]))]);
}
