let lastMs = 0;
let sequence = 0;

/** Random bytes of one id. */
const BYTES = 10;

/** Random bytes are drawn for many ids at once: the call costs more than the bytes. */
const pool = new Uint8Array(BYTES * 64);
let used = pool.length;

/**
 * A new UUID of version 7: its first 48 bits are the time and the next 12 a counter, so that the ids of one process
 * sort in the order in which they were made, also within a millisecond and when the clock goes back.
 * Source: RFC 9562, section 6.2, method 1.
 */
export function newId(nowMs: number = Date.now()): string {
  const at = draw();
  tick(nowMs, (pool[at]! << 8) | pool[at + 1]!);
  if (lastMs !== stampedMs) stamp();
  codes[0] = digit(sequence >>> 8);
  put(1, sequence);
  put(4, (pool[at + 2]! & 0x3f) | 0x80);
  put(6, pool[at + 3]!);
  for (let byte = 0; byte < 6; byte += 1) put(9 + 2 * byte, pool[at + 4 + byte]!);
  return stamped + String.fromCharCode(...codes);
}

/** The characters of an id behind its version; one flat text is made of them, where pieces put together would be a dozen. */
const codes: number[] = Array.from("000-0000-000000000000", (character) => character.charCodeAt(0));

/** Puts a number's lowest byte in its place, in hexadecimal. */
function put(place: number, byte: number): void {
  codes[place] = digit(byte >>> 4);
  codes[place + 1] = digit(byte);
}

/** The character of a number's lowest four bits. */
function digit(value: number): number {
  const low = value & 0xf;
  return low < 10 ? 0x30 + low : 0x57 + low;
}

/** The beginning of every id of one millisecond: the time and the version. */
let stamped = "";
let stampedMs = -1;

function stamp(): void {
  const time = Math.floor(lastMs).toString(16).padStart(12, "0");
  stamped = `${time.slice(0, 8)}-${time.slice(8)}-7`;
  stampedMs = lastMs;
}

/** The place in the pool of random bytes that nobody has had. */
function draw(): number {
  if (used === pool.length) {
    globalThis.crypto.getRandomValues(pool);
    used = 0;
  }
  used += BYTES;
  return used - BYTES;
}

/** Moves the counter on; a new millisecond begins it at a random place in its lower half. */
function tick(nowMs: number, random: number): void {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    sequence = random & 0x7ff;
    return;
  }
  sequence += 1;
  if (sequence <= 0xfff) return;
  lastMs += 1;
  sequence = 0;
}
