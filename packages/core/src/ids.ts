let lastMs = 0;
let sequence = 0;

/** Random bytes of one id. */
const BYTES = 10;

/** Random bytes are drawn for many ids at once: the call costs more than the bytes. */
const pool = new Uint8Array(BYTES * 512);
let used = pool.length;

/** The characters of the hexadecimal digits: a look-up, where a choice between figures and letters is foreseen half the time. */
const DIGITS = Uint8Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));

/** The characters of an id; one flat text is made of them, where pieces put together would be a dozen. */
const codes: number[] = Array.from("00000000-0000-7000-8000-000000000000", (character) =>
  character.charCodeAt(0),
);

/** The time that stands in them. */
let stampedMs = 0;

/**
 * A new UUID of version 7: its first 48 bits are the time and the next 12 a counter, so that the ids of one process
 * sort in the order in which they were made, also within a millisecond and when the clock goes back.
 * Source: RFC 9562, section 6.2, method 1.
 */
export function newId(nowMs: number = Date.now()): string {
  const at = draw();
  tick(nowMs, (pool[at]! << 8) | pool[at + 1]!);
  if (lastMs !== stampedMs) stamp();
  codes[15] = DIGITS[sequence >>> 8]!;
  put(16, sequence);
  put(19, (pool[at + 2]! & 0x3f) | 0x80);
  put(21, pool[at + 3]!);
  for (let byte = 0; byte < 6; byte += 1) put(24 + 2 * byte, pool[at + 4 + byte]!);
  return String.fromCharCode(...codes);
}

/** Puts a number's lowest byte in its place, in hexadecimal. */
function put(place: number, byte: number): void {
  codes[place] = DIGITS[(byte >>> 4) & 0xf]!;
  codes[place + 1] = DIGITS[byte & 0xf]!;
}

/** Puts the time in its places, which are the same for every id of one millisecond. */
function stamp(): void {
  const time = Math.floor(lastMs).toString(16).padStart(12, "0");
  for (let at = 0; at < 12; at += 1) codes[at < 8 ? at : at + 1] = time.charCodeAt(at);
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
