/** Most bytes of a tool's result, as UTF-8, that a model reads; the whole result is kept as a blob. */
export const MAX_SHOWN_BYTES: number = 64 * 1024;

/** Cuts a long text to its head and tail, and says between them what is missing. */
export function cutResult(text: string, maxBytes: number = MAX_SHOWN_BYTES): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const half = Math.floor(maxBytes / 2);
  const head = bytes.subarray(0, startOfCharacter(bytes, half));
  const tail = bytes.subarray(startOfCharacter(bytes, bytes.length - half, 1));
  const left = bytes.length - head.length - tail.length;
  return `${head.toString("utf8")}\n[… ${left} of ${bytes.length} bytes left out …]\n${tail.toString("utf8")}`;
}

/** The nearest place, going back or on, at which a character begins. */
function startOfCharacter(bytes: Uint8Array, at: number, step: 1 | -1 = -1): number {
  let place = at;
  while (((bytes[place] ?? 0) & 0xc0) === 0x80) place += step;
  return place;
}
