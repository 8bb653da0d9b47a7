/** Most characters of a tool's result that a model reads; the whole result is kept as a blob. */
export const MAX_SHOWN: number = 64 * 1024;

/** Cuts a long text to its head and tail, and says between them what is missing. */
export function cutResult(text: string, max: number = MAX_SHOWN): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const head = wholeCharacters(text.slice(0, half));
  const tail = wholeCharacters(text.slice(-half));
  return `${head}\n[… ${text.length - head.length - tail.length} of ${text.length} characters left out …]\n${tail}`;
}

function wholeCharacters(text: string): string {
  return text.replace(/[\ud800-\udbff]$/, "").replace(/^[\udc00-\udfff]/, "");
}
