/** What some reader drops wherever it stands: control and invisible characters. */
const DROPPED = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
const ENCODED = /%(?:25)*(?:u00)?([0-7][0-9a-f])/gi;
const SEPARATOR = /[/\\]/;

/**
 * A text as the most forgiving reader of paths takes it: without the characters that anybody drops, look-alikes
 * folded (full-width dots and slashes too), percent-encoded characters decoded, however often they were encoded.
 */
export function plainText(text: string): string {
  return text
    .normalize("NFKC")
    .replace(ENCODED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(DROPPED, "");
}

/** True for a text that, read as a path, may lead elsewhere than it looks: `src/../../etc`, `src/%2e%2e/etc`. */
export function hasDotSegment(text: string): boolean {
  return plainText(text)
    .split(SEPARATOR)
    .some((segment) => segment.includes(".") && /^[. ]+$/.test(segment));
}

/** The ways in which a text may be read as a path. */
export interface PathReadings {
  /** As it stands, where it leads, where its plain form leads. */
  readonly spelled: readonly string[];
  /** Where its plain form leads on a disk that does not tell capitals. */
  readonly lowerCase: string;
}

/** Every way in which a text may be read as a path. */
export function pathReadings(text: string): PathReadings {
  const plain = destination(plainText(text));
  return { spelled: [text, destination(text), plain], lowerCase: plain.toLowerCase() };
}

/** The path a text leads to, read lexically: no `.`, no resolvable `..`, single forward slashes, none at the end. */
function destination(text: string): string {
  const kept: string[] = [];
  for (const segment of text.split(/[/\\]+/)) {
    if (segment === ".") continue;
    const last = kept.at(-1);
    if (segment === ".." && last !== undefined && last !== "..") {
      if (last !== "") kept.pop();
    } else kept.push(segment);
  }
  if (kept.length > 1 && kept.at(-1) === "") kept.pop();
  return kept.join("/");
}
