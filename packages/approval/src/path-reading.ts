/** What URL parsers drop wherever it stands. */
const DROPPED = /[\t\n\r]/g;
const ENCODED = /%(?:25)*([0-7][0-9a-f])/gi;
const SEPARATOR = /[/\\]/;

/**
 * A text as the most forgiving reader of paths takes it: without the characters that URL parsers drop, look-alikes
 * folded (full-width dots and slashes too), percent-encoded characters decoded, however often they were encoded.
 */
export function plainText(text: string): string {
  return text
    .replace(DROPPED, "")
    .normalize("NFKC")
    .replace(ENCODED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** True for a text that, read as a path, may lead elsewhere than it looks: `src/../../etc`, `src/%2e%2e/etc`. */
export function hasDotSegment(text: string): boolean {
  return plainText(text)
    .split(SEPARATOR)
    .some((segment) => segment.includes(".") && /^[. ]+$/.test(segment));
}

/** Every way in which a text may be read as a path: as it stands, where it leads, where its plain form leads. */
export function pathReadings(text: string): readonly string[] {
  return [text, destination(text), destination(plainText(text))];
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
