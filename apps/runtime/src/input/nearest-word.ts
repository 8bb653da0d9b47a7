/** The known word that a mistyped one was most likely meant to be; undefined when none is near. */
export function nearestWord(typed: string, known: readonly string[]): string | undefined {
  const allowed = Math.min(2, Math.floor(typed.length / 2));
  const ranked = known
    .map((word) => ({ word, distance: editDistance(typed, word) }))
    .filter(({ word, distance }) => distance <= allowed || (typed.length > 2 && word.startsWith(typed)))
    .toSorted((a, b) => a.distance - b.distance);
  return ranked[0]?.word;
}

/** How many letters have to be added, dropped or changed. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + change));
    }
    row = next;
  }
  return row[to.length]!;
}
