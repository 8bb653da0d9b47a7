import { BundleFlaw, invalidBundle } from "./bundle-flaw.ts";
import { maxLineBytes, oversizedLine } from "./line-codec.ts";

/**
 * The lines of a file or stream, without their breaks. Never holds more than one line, and refuses one that is too long
 * before it has all of it.
 * @throws SessionError `invalid_bundle` (`oversized_line`, `not_json` for what is no UTF-8).
 */
export async function* splitLines(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decode(decoder, chunk, number)).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      yield checkedLine(line, number);
      number += 1;
    }
    checkedLine(rest, number);
  }
  rest += decode(decoder, undefined, number);
  if (rest !== "") yield checkedLine(rest, number);
}

function decode(
  decoder: InstanceType<typeof TextDecoder>,
  chunk: string | Uint8Array | undefined,
  number: number,
): string {
  if (typeof chunk === "string") return chunk;
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw invalidBundle(number, new BundleFlaw("not_json", "", "is no UTF-8"));
  }
}

/** A line as it was written, wherever it was stored meanwhile. */
function checkedLine(line: string, number: number): string {
  if (line.length > maxLineBytes) throw invalidBundle(number, oversizedLine());
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
