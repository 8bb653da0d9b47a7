/** Text that bytes stand for; `exact` is false when some were no UTF-8 and U+FFFD stands in their place. */
export interface ReferenceText {
  readonly text: string;
  readonly exact: boolean;
}

/** The bytes that a lead byte asks for, and what the second of them may be. Source: Unicode 15, table 3-7. */
function sequenceOf(
  lead: number,
): { readonly more: number; readonly low: number; readonly high: number } | undefined {
  if (lead >= 0xc2 && lead <= 0xdf) return { more: 1, low: 0x80, high: 0xbf };
  if (lead === 0xe0) return { more: 2, low: 0xa0, high: 0xbf };
  if (lead === 0xed) return { more: 2, low: 0x80, high: 0x9f };
  if (lead >= 0xe1 && lead <= 0xef) return { more: 2, low: 0x80, high: 0xbf };
  if (lead === 0xf0) return { more: 3, low: 0x90, high: 0xbf };
  if (lead >= 0xf1 && lead <= 0xf3) return { more: 3, low: 0x80, high: 0xbf };
  if (lead === 0xf4) return { more: 3, low: 0x80, high: 0x8f };
  return undefined;
}

/** Decodes UTF-8 by the table, one U+FFFD for each longest beginning of a sequence that goes wrong. */
export function referenceText(bytes: Uint8Array): ReferenceText {
  let text = "";
  let exact = true;
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] ?? 0;
    at += 1;
    if (lead < 0x80) {
      text += String.fromCharCode(lead);
      continue;
    }
    const read = readSequence(bytes, at, lead);
    at = read.next;
    exact &&= read.code !== undefined;
    text += String.fromCodePoint(read.code ?? 0xfffd);
  }
  return { text, exact };
}

function readSequence(
  bytes: Uint8Array,
  from: number,
  lead: number,
): { readonly code: number | undefined; readonly next: number } {
  const sequence = sequenceOf(lead);
  if (sequence === undefined) return { code: undefined, next: from };
  let code = lead & (0x3f >> sequence.more);
  for (let index = 0; index < sequence.more; index += 1) {
    const byte = bytes[from + index] ?? 0;
    const { low, high } = index === 0 ? sequence : { low: 0x80, high: 0xbf };
    if (byte < low || byte > high) return { code: undefined, next: from + index };
    code = (code << 6) | (byte & 0x3f);
  }
  return { code, next: from + sequence.more };
}
