import type { StrictParse } from "@basis/core";
import { lostDigits } from "./lost-digits.ts";
import { readCandidate, replaceAt, type ReadingContext } from "./normalise-candidate.ts";
import type { ReadText } from "./judge-value.ts";
import type { OutputIssue } from "./output-result.ts";
import type { SchemaIssue } from "./schema-validator.ts";

interface DigitContext extends ReadingContext {
  readonly redact: boolean;
}

/**
 * What stands against a value that the schema accepts as it was read, but was written with digits that a double does not keep.
 * Such a number is accepted only where the verdict needs none of them.
 */
export async function digitIssues(
  parsed: StrictParse & { ok: true },
  { text, value }: Pick<ReadText, "text" | "value">,
  context: DigitContext,
): Promise<readonly OutputIssue[]> {
  const integers = precisionIssues(parsed, context);
  const numbers = lostDigits(text);
  if (integers.length > 0 || numbers.size === 0) return integers;
  const { schema, draft, schemas } = context.spec;
  const { interpretingValidator, needsLostDigits } = await import("./interpreter/interpreting-validator.ts");
  const decided = await interpretingValidator()
    .compile(schema, { draft, schemas })
    .then(
      (compiled) => needsLostDigits(compiled, value, numbers),
      () => true,
    );
  if (!decided) return [];
  const shown = context.redact ? "" : ` (${[...numbers].slice(0, 3).join(", ")}, as read)`;
  const message = `a number has more digits than are kept${shown}, and the schema decides by them; write 15 digits at most`;
  return [{ stage: "schema", pointer: "", keyword: "precision", message }];
}

/** Integers that lost digits, where the schema asks for an integer: a fraction in their place is refused there. */
function precisionIssues(parsed: StrictParse & { ok: true }, context: DigitContext): OutputIssue[] {
  const message = "an integer beyond 2^53 lost digits; write it as exactly as the schema allows";
  return parsed.unsafeIntegers.slice(0, 10).flatMap((written) => {
    const probe = readCandidate(replaceAt(parsed.value, written, 0.5), context);
    const refusing = probe.issues.find(asksForInteger);
    const pointer = refusing?.pointer ?? "";
    return refusing ? [{ stage: "schema", pointer, keyword: "precision", message } as const] : [];
  });
}

function asksForInteger({ keyword, kinds, allowed = [] }: SchemaIssue): boolean {
  if (keyword === "multipleOf" || kinds?.includes("integer")) return true;
  return allowed.some((value) => typeof value === "number" && Number.isInteger(value));
}
