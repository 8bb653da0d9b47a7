import { isBasisError } from "@basis/core";
import { isCompactionError } from "../../compaction/compaction-error.ts";
import { whenThere, type Later } from "../../events/event-log.ts";
import { isModelError } from "../../providers/model-error.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { askAside, type RoundAnswer } from "../model/ask-model.ts";
import { charactersOf, estimatePrefix, tokensOf } from "../../compaction/estimate-prefix.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Transcript } from "../transcript/transcript.ts";

/** What a turn compacts its session with. */
export interface RunCompactionPorts {
  readonly store: HostStore;
  readonly transcript: Transcript;
}

/** A request whose size is known, and how many messages of the transcript it and its answer were. */
interface KnownSize {
  readonly tokens: number;
  readonly messages: number;
}

/**
 * Compacts the session of a turn between two rounds: before a request that is estimated to pass the threshold, and once after
 * one that the provider refused for its length. A turn that needs neither has no work for it.
 */
export class RunCompaction {
  readonly #run: RunContext;
  readonly #ports: RunCompactionPorts;
  #known: KnownSize | undefined;
  /** By the threshold; it is not tried again in this turn. */
  #failed = false;
  /** For the round that is to be answered. */
  #refused = false;

  constructor(run: RunContext, ports: RunCompactionPorts) {
    this.#run = run;
    this.#ports = ports;
  }

  /** The messages of the next request. */
  messages(): Later<readonly ModelMessage[]> {
    const { transcript } = this.#ports;
    const { compactAt } = transcript;
    return whenThere(transcript.messages(), (messages) =>
      compactAt === undefined || this.#failed ? messages : this.#within(compactAt, messages),
    );
  }

  async #within(compactAt: number, messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]> {
    const { transcript } = this.#ports;
    if ((await this.#size(messages)) < compactAt) return messages;
    this.#failed = !(await this.#compact("threshold", compactAt));
    // Asked for again in any case: meanwhile something may have been redacted.
    return transcript.messages();
  }

  /** Told each answer, and how many messages it was asked with. */
  answered({ usage: { inputTokens, outputTokens } }: RoundAnswer, messages: number): void {
    this.#refused = false;
    if (this.#ports.transcript.compactAt === undefined || inputTokens === 0) return;
    this.#known = { tokens: inputTokens + outputTokens, messages: messages + 1 };
  }

  /** True when the request was refused for its length and is a shorter one now. */
  async shortens(error: unknown): Promise<boolean> {
    if (!isModelError(error) || error.code !== "context_length" || this.#refused) return false;
    this.#refused = true;
    return this.#compact("context_length", undefined);
  }

  async #size(messages: readonly ModelMessage[]): Promise<number> {
    const { writer, ending } = this.#run;
    this.#known ??= {
      ...(await estimatePrefix(
        this.#ports.store,
        { session: writer.head, length: writer.len },
        ending.signal,
      )),
      messages: messages.length,
    };
    let characters = 0;
    for (let at = this.#known.messages; at < messages.length; at += 1)
      characters += charactersOf(messages[at]!);
    return this.#known.tokens + tokensOf(characters);
  }

  /** A summary that fails leaves the request as it is; whatever else fails, the turn does. */
  async #compact(trigger: "threshold" | "context_length", compactAt: number | undefined): Promise<boolean> {
    const { writer, agent, emit, ending } = this.#run;
    const { store, transcript } = this.#ports;
    if (this.#run.bounds.exceeded() !== undefined) return false;
    const { compactSession } = await import("../../compaction/compact-session.ts");
    const ask: Parameters<typeof compactSession>[0]["ask"] = (request) => askAside(this.#run, request);
    const ports = { store, writer, member: agent.member, emit, signal: ending.signal, ask };
    try {
      const { tokensAfter } = await compactSession(ports, { trigger, keep: "quarter", limit: compactAt });
      await transcript.reload();
      this.#known = { tokens: tokensAfter, messages: (await transcript.messages()).length };
      return true;
    } catch (error) {
      ending.throwIfAborted();
      if (isCompactionError(error) || isModelError(error) || isBasisError(error, "ChildPolicyError"))
        return false;
      throw error;
    }
  }
}
