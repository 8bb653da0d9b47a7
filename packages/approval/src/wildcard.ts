/** True when the pattern can match more than one text. */
export function hasWildcard(pattern: string): boolean {
  return pattern.includes("*") || pattern.includes("?");
}

/**
 * Matches a whole text: `*` is any run of characters, slashes included, `?` is exactly one code point,
 * everything else stands for itself. There is no escape. Time grows with pattern length × text length at worst.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let starAt = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (pattern[p] === "*") {
      starAt = p;
      resumeAt = t;
      p += 1;
    } else if (pattern[p] === "?") {
      p += 1;
      t += codePointSize(text, t);
    } else if (pattern[p] === text[t]) {
      p += 1;
      t += 1;
    } else if (starAt >= 0) {
      resumeAt += codePointSize(text, resumeAt);
      p = starAt + 1;
      t = resumeAt;
    } else return false;
  }
  while (pattern[p] === "*") p += 1;
  return p === pattern.length;
}

function codePointSize(text: string, at: number): 1 | 2 {
  return text.codePointAt(at)! > 0xffff ? 2 : 1;
}
