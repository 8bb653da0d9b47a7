// What every library plays: a prompt, and an answer of about 1 KB that must fit a schema. The model answers at once.

export const PROMPT = "Add up the invoice.";
export const NAME = "invoice";
export const ABOUT = "What the invoice comes to.";
export const USAGE = { input: 420, output: 300 };

const line = {
  type: "object",
  properties: {
    article: { type: "string" },
    count: { type: "integer", minimum: 1 },
    cents: { type: "integer" },
  },
  required: ["article", "count", "cents"],
  additionalProperties: false,
};

/** The schema, for libraries that take JSON Schema. */
export const SCHEMA = {
  type: "object",
  properties: {
    number: { type: "string" },
    currency: { enum: ["EUR", "USD", "GBP"] },
    lines: { type: "array", items: line },
    total: { type: "integer", description: "In cents." },
  },
  required: ["number", "currency", "lines", "total"],
  additionalProperties: false,
};

/** The same in zod, of whichever version a library brings; not closed, since instructor adds a member of its own. */
export function zodSchema(z) {
  const part = z.object({ article: z.string(), count: z.number().int().min(1), cents: z.number().int() });
  const currency = z.enum(["EUR", "USD", "GBP"]);
  return z.object({ number: z.string(), currency, lines: z.array(part), total: z.number().int() });
}

const lines = Array.from({ length: 20 }, (_, n) => ({
  article: `article ${n}`,
  count: n + 1,
  cents: n * 100,
}));
const invoice = { number: "2026-1130", currency: "EUR", lines, total: 19_000 };

/** What the model says: an answer that fits, and one whose total is a text. */
export const GOOD = JSON.stringify(invoice);
export const BAD = JSON.stringify({ ...invoice, total: "19000" });

/** The replies of one run. */
export function repliesOf({ rejections = 0 } = {}) {
  return [...Array.from({ length: rejections }, () => BAD), GOOD];
}

/** A case from `ask(replies)`, which answers the value. The first answer must be the invoice's. */
export async function subjectOf(ask, variant) {
  const value = await ask(repliesOf(variant));
  if (value?.total !== invoice.total) throw new Error(`the answer was ${JSON.stringify(value)}`);
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) await ask(repliesOf(variant));
    },
  };
}
