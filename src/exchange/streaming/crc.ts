/**
 * Cyclic redundancy checks that the platform lacks: CRC-32C (RFC 3720, appendix B.4) and CRC-64/NVME. Eight bytes in each
 * step, by tables: packages that take one byte in each step would cost an upload more time than all the rest of it.
 */

/** Words of a table: one entry of 256 for each of eight positions. */
const ENTRIES = 2048;

const C_TABLE = table32(0x82f63b78);
const [NVME_LOW, NVME_HIGH] = table64(0xac4bc9b5, 0x9a6c9329);

/**
 * CRC-32C of bytes that follow others.
 * @param before that of the bytes before them; 0 for none
 */
export function crc32c(bytes: Uint8Array, before = 0): number {
  const table = C_TABLE;
  let crc = ~before;
  let at = 0;
  for (const end = bytes.length - 7; at < end; at += 8) {
    const first = crc ^ word(bytes, at);
    const second = word(bytes, at + 4);
    crc =
      of(table, 7, first) ^
      of(table, 6, first >>> 8) ^
      of(table, 5, first >>> 16) ^
      of(table, 4, first >>> 24) ^
      of(table, 3, second) ^
      of(table, 2, second >>> 8) ^
      of(table, 1, second >>> 16) ^
      of(table, 0, second >>> 24);
  }
  for (; at < bytes.length; at++) crc = of(table, 0, crc ^ (bytes[at] as number)) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** A check of 64 bits in two halves. */
export interface Halves {
  readonly low: number;
  readonly high: number;
}

/**
 * CRC-64/NVME of bytes that follow others.
 * @param before that of the bytes before them; absent for none
 */
export function crc64nvme(bytes: Uint8Array, before: Halves = { low: 0, high: 0 }): Halves {
  let [low, high] = [~before.low, ~before.high];
  let at = 0;
  for (const end = bytes.length - 7; at < end; at += 8) {
    const first = low ^ word(bytes, at);
    const second = high ^ word(bytes, at + 4);
    low = eight(NVME_LOW, first, second);
    high = eight(NVME_HIGH, first, second);
  }
  for (; at < bytes.length; at++) {
    const index = low ^ (bytes[at] as number);
    low = of(NVME_LOW, 0, index) ^ ((low >>> 8) | (high << 24));
    high = of(NVME_HIGH, 0, index) ^ (high >>> 8);
  }
  return { low: ~low >>> 0, high: ~high >>> 0 };
}

function eight(table: Int32Array, first: number, second: number): number {
  return (
    of(table, 7, first) ^
    of(table, 6, first >>> 8) ^
    of(table, 5, first >>> 16) ^
    of(table, 4, first >>> 24) ^
    of(table, 3, second) ^
    of(table, 2, second >>> 8) ^
    of(table, 1, second >>> 16) ^
    of(table, 0, second >>> 24)
  );
}

/** Four bytes, the lowest first. */
function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** The check of a byte behind which so many others stand. */
function of(table: Int32Array, behind: number, byte: number): number {
  return table[(behind << 8) | (byte & 0xff)] as number;
}

/** @param polynomial with its bits in reverse order */
function table32(polynomial: number): Int32Array {
  const table = new Int32Array(ENTRIES);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
    table[byte] = crc;
  }
  for (let at = 256; at < ENTRIES; at++) {
    const before = table[at - 256] as number;
    table[at] = of(table, 0, before) ^ (before >>> 8);
  }
  return table;
}

/** @param low lower half of the polynomial with its bits in reverse order */
function table64(low: number, high: number): readonly [low: Int32Array, high: Int32Array] {
  const [lows, highs] = [new Int32Array(ENTRIES), new Int32Array(ENTRIES)];
  for (let byte = 0; byte < 256; byte++) {
    let [crcLow, crcHigh] = [byte, 0];
    for (let bit = 0; bit < 8; bit++) {
      const isOdd = (crcLow & 1) === 1;
      crcLow = (crcLow >>> 1) | (crcHigh << 31);
      crcHigh >>>= 1;
      if (isOdd) {
        crcLow ^= low;
        crcHigh ^= high;
      }
    }
    lows[byte] = crcLow;
    highs[byte] = crcHigh;
  }
  for (let at = 256; at < ENTRIES; at++) {
    const [beforeLow, beforeHigh] = [lows[at - 256] as number, highs[at - 256] as number];
    lows[at] = of(lows, 0, beforeLow) ^ ((beforeLow >>> 8) | (beforeHigh << 24));
    highs[at] = of(highs, 0, beforeLow) ^ (beforeHigh >>> 8);
  }
  return [lows, highs];
}
