import { googleDialect } from "./google-dialect.ts";
import type { ProviderKind } from "./provider-settings.ts";
import type { ModelCapabilities } from "./model.ts";

interface Row {
  readonly kinds: readonly ProviderKind[];
  /** Of the model's id, lower case; the first row that fits stands. */
  readonly model?: RegExp;
  readonly capabilities: ModelCapabilities;
}

const NOTHING: ModelCapabilities = { forcedChoice: "none", nativeSchema: false };

/**
 * What models were seen to obey. Only a starting point: callers step down when a provider refuses.
 * An endpoint that copies OpenAI's chat wire is taken to obey `required`, which with one tool says the same as its name,
 * and to take a schema as it was written: which subset its engine holds an answer to, nobody knows.
 */
const ROWS: readonly Row[] = [
  {
    kinds: ["anthropic"],
    model: /fable-5-1|mythos|opus-5-5/,
    capabilities: { forcedChoice: "none", nativeSchema: true, dialect: "anthropic" },
  },
  {
    kinds: ["anthropic"],
    model: /claude-(1|2|instant|3|(opus|sonnet)-4(-0|-2025\d*|$))/,
    capabilities: { forcedChoice: "named", nativeSchema: false },
  },
  {
    kinds: ["anthropic"],
    capabilities: { forcedChoice: "named", nativeSchema: true, dialect: "anthropic" },
  },
  {
    kinds: ["openai", "openai-chat"],
    capabilities: { forcedChoice: "named", nativeSchema: true, dialect: "openai" },
  },
  {
    kinds: ["google"],
    capabilities: { forcedChoice: "named", nativeSchema: true, dialect: googleDialect },
  },
  { kinds: ["openai-compatible"], model: /deepseek-(reasoner|r1|v4)|kimi/, capabilities: NOTHING },
  { kinds: ["openai-compatible"], capabilities: { forcedChoice: "required", nativeSchema: false } },
];

/** What a model is taken to be able to do before it has been asked. */
export function knownCapabilities(kind: ProviderKind, modelId: string): ModelCapabilities {
  const id = modelId.toLowerCase().replaceAll(".", "-");
  const row = ROWS.find(({ kinds, model }) => kinds.includes(kind) && (model?.test(id) ?? true));
  return row?.capabilities ?? NOTHING;
}
