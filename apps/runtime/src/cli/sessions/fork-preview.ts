import { visibleText } from "@basis/approval";
import type { CacheInheritance, ForkMemberOptions, ForkMemberSpec, ForkPreview, Forks } from "@mobkit/fork";
import { cacheVerdict } from "../../agent/forks/cache-verdict.ts";
import { estimatePrefix, type PrefixEstimate } from "../../compaction/estimate-prefix.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { UsageError } from "../terminal/exit-code.ts";
import type { Option } from "../arguments/option.ts";
import { answer, counted } from "../terminal/output-format.ts";

/** Prices in dollars for a million input tokens. */
export interface TokenPrice {
  readonly input: number;
  /** Absent: tokens from a cache cost as much as others. */
  readonly cached: number | undefined;
}

/** `--price`. */
export const priceOption: Option<TokenPrice> = {
  about:
    "with --dry-run: what a million input tokens cost in dollars, and of them those from a cache, as your provider lists them: 3 or 3/0.30",
  value: "IN[/CACHED]",
  read(given) {
    const found = /^(\d+(?:\.\d+)?)(?:\/(\d+(?:\.\d+)?))?$/.exec(given);
    if (!found) throw new UsageError([`takes a price such as 3 or 3/0.30, not '${given}'`]);
    return { input: Number(found[1]), cached: found[2] === undefined ? undefined : Number(found[2]) };
  },
};

/** A fork that is only looked at. */
export interface PreviewRequest {
  readonly source: string;
  readonly spec: ForkMemberSpec<ModelMessage>;
  readonly options: ForkMemberOptions;
  readonly price: TokenPrice | undefined;
  readonly asJson: boolean;
  readonly signal: AbortSignal;
}

/** Tells what a fork would begin with and what its first request would cost, and writes nothing. @throws ForkError as the fork. */
export async function showForkPreview(
  { forks, store }: { readonly forks: Forks<ModelMessage>; readonly store: HostStore },
  { source, spec, options, price, asJson, signal }: PreviewRequest,
): Promise<void> {
  const preview = await forks.previewFork(source, spec, options);
  const session = await store.head(preview.sourceSessionId, { signal });
  const length = preview.messageCount;
  const cache = await cacheVerdict(store, { session, length }, signal);
  const estimate = await estimatePrefix(store, { session, length }, signal);
  const told: ToldPreview = {
    preview,
    total: session.len,
    cache,
    estimate,
    cost: costOf(estimate, cache, price),
  };
  answer(asJson ? JSON.stringify(asWire(told)) : inWords(told));
}

interface ToldPreview {
  readonly preview: ForkPreview;
  /** Messages of the source. */
  readonly total: number;
  readonly cache: CacheInheritance;
  readonly estimate: PrefixEstimate;
  /** In dollars; undefined without a price. */
  readonly cost: Cost | undefined;
}

interface Cost {
  readonly uncached: number;
  /** Undefined when no cache can be counted on. */
  readonly cached: number | undefined;
}

function costOf(
  { tokens }: PrefixEstimate,
  cache: CacheInheritance,
  price: TokenPrice | undefined,
): Cost | undefined {
  if (price === undefined) return undefined;
  const { input, cached = input } = price;
  const million = tokens / 1_000_000;
  return { uncached: million * input, cached: cache.status === "available" ? million * cached : undefined };
}

/** The verdict as the wire spells it. */
export function cacheWire(cache: CacheInheritance): object {
  return cache.status === "available" ? { status: cache.status, message_count: cache.messageCount } : cache;
}

function asWire({ preview, total, cache, estimate, cost }: ToldPreview): object {
  return {
    dry_run: true,
    member: preview.memberAlias,
    source_session: preview.sourceSessionId,
    message_count: preview.messageCount,
    source_message_count: total,
    prefix_digest: preview.prefixDigest,
    copied_messages: 0,
    estimated_tokens: estimate.tokens,
    estimated_from: estimate.from,
    cache_inheritance: cacheWire(cache),
    first_request_usd: cost === undefined ? null : { uncached: cost.uncached, cached: cost.cached ?? null },
  };
}

function inWords({ preview, total, cache, estimate, cost }: ToldPreview): string {
  const { memberAlias, messageCount } = preview;
  const how = estimate.from === "provider" ? "as its provider counted" : "by their length";
  return [
    `${visibleText(memberAlias)} would begin with ${messageCount} of ${counted(total, "message")}; none is copied, nothing was written`,
    `its first request: about ${counted(estimate.tokens, "token")} before the prompt, ${how}`,
    cache.status === "available"
      ? "prompt cache: the provider may serve them from it, while it keeps them and if the next run has the same model, tools and system text"
      : `prompt cache: do not count on it (${cache.reason}: ${why[cache.reason]})`,
    cost === undefined
      ? "cost: give your provider's price with --price IN/CACHED"
      : `cost: ${dollars(cost.uncached)}${cost.cached === undefined ? "" : `, from the cache ${dollars(cost.cached)}`}`,
  ].join("\n");
}

const why: Readonly<Record<Extract<CacheInheritance, { status: "unavailable" }>["reason"], string>> = {
  target_identity_unresolved: "no run has told which model it speaks with",
  target_lowering_unavailable: "its provider says nothing of keeping prompts",
  rendered_prefix_projection_unavailable: "what stands before its messages is gone",
  authored_evidence_invalid: "what is known of its requests does not fit",
  no_authored_breakpoint_at_boundary: "this provider keeps only what is marked, and nothing is",
  provider_model_mismatch: "the fork has another model",
};

function dollars(amount: number): string {
  return `$${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(2)}`;
}
