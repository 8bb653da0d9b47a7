/** `; did you mean 'x'?` for the candidate that a mistyped name most likely meant, or nothing. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const limit = Math.max(2, Math.floor(name.length / 3));
  if (name.length > 64) return "";
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((left, right) => left.distance - right.distance);
  return best === undefined ? "" : `; did you mean '${best.candidate}'?`;
}

/** Insertions, deletions and replacements that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of Array.from(from).entries()) {
    const current = [row + 1];
    for (let at = 0; at < to.length; at += 1) {
      const replaced = previous[at]! + Number(letter !== to[at]);
      current.push(Math.min(previous[at + 1]! + 1, current[at]! + 1, replaced));
    }
    previous = current;
  }
  return previous[to.length]!;
}
