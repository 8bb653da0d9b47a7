import { canonicalJson } from "@basis/core";

/** Throws unless two JSON values are the same. */
export function expectEqual(found: unknown, wanted: unknown): void {
  const [left, right] = [found, wanted].map((value) => canonicalJson(value ?? null));
  if (left !== right) throw new Error(`expected ${right}, found ${left}`);
}

/** Throws unless `work` throws. */
export async function expectRefusal(work: () => Promise<unknown>): Promise<void> {
  let answer: unknown;
  try {
    answer = await work();
  } catch {
    return;
  }
  throw new Error(`expected a refusal, found ${canonicalJson(answer ?? null)}`);
}
