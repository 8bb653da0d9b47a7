import { isJsonObject, type JsonObject } from "@basis/core";
import type { ModelMessage, ProviderOptions, UserMessage } from "./model.ts";

/** What a compaction's row says of itself, beside its text. */
export interface SummaryFacts {
  /** The messages before this position are what it stands for. */
  readonly keepFrom: number;
  /** Answers of the model among them. */
  readonly answers: number;
  /** Messages behind them that stayed as they are. */
  readonly kept: number;
  /** About how many tokens a request took before it and takes behind it. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** No provider reads it; it stands where each of them finds its own facts. */
const OWNER = "basis";

/** The row of a compaction: the user's, since every provider takes that as a beginning. */
export function summaryMessage(text: string, facts: SummaryFacts): UserMessage {
  return { role: "user", content: text, providerOptions: summaryOptions(facts) };
}

/** What marks a row as a compaction's. */
export function summaryOptions(facts: SummaryFacts): ProviderOptions {
  return { [OWNER]: { compaction: { ...facts } } };
}

/** What a row says as a compaction's; undefined for every other. */
export function summaryFacts({ role, providerOptions }: ModelMessage): SummaryFacts | undefined {
  if (role !== "user" || providerOptions === undefined) return undefined;
  const told = providerOptions[OWNER]?.["compaction"];
  if (!isJsonObject(told) || !NUMBERS.every((name) => Number.isSafeInteger(told[name]))) return undefined;
  const { keepFrom, answers, kept, tokensBefore, tokensAfter } = told as JsonObject & SummaryFacts;
  return { keepFrom, answers, kept, tokensBefore, tokensAfter };
}

const NUMBERS = ["keepFrom", "answers", "kept", "tokensBefore", "tokensAfter"] as const;

/** The text of a compaction's row. */
export function summaryText({ content }: UserMessage): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
