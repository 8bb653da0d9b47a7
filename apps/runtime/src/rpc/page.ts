/** Most bytes of the items of one answer, about: 1 MiB of text. A single larger item stands alone. */
const MAX_CHARS = 1024 * 1024;

/** Items of one answer, and whether there are more. */
export interface TakenItems<T> {
  readonly items: readonly T[];
  readonly isWhole: boolean;
}

/** Takes items until there are `limit` of them, or their text fills an answer; at least one where there is one. */
export async function takeItems<T>(
  source: Iterable<T> | AsyncIterable<T>,
  limit: number,
): Promise<TakenItems<T>> {
  const items: T[] = [];
  let chars = 0;
  for await (const item of source) {
    chars += JSON.stringify(item).length;
    if (items.length === limit || (items.length > 0 && chars > MAX_CHARS)) return { items, isWhole: false };
    items.push(item);
  }
  return { items, isWhole: true };
}
