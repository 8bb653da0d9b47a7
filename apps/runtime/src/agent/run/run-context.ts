import type { Clock } from "@basis/core";
import type { ApprovalGate } from "@basis/approval";
import type { HookChain } from "@basis/hooks";
import type { BlobStore } from "@mobkit/session";
import type { EventData, EventType } from "../../events/event-schema.ts";
import type { EventScope } from "../../events/event-emitter.ts";
import type { HostLedger } from "../../store/host-ledger.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Model } from "../../providers/model.ts";
import type { RunTrace } from "../../telemetry/run-trace.ts";
import type { Cue } from "./cue.ts";
import type { RunBounds } from "./run-bounds.ts";
import type { RunUsage } from "./run-usage.ts";
import type { SessionWriter } from "../transcript/session-writer.ts";

/** Says what happened. */
export type Emit = <T extends EventType>(type: T, data: EventData<T>) => void;

/** What an event tells, while it is put together. */
export type Told<T extends EventType> = { -readonly [Field in keyof EventData<T>]: EventData<T>[Field] };

/** Who an agent is: everything that is settled before its run begins. */
export interface AgentSetup {
  /** Its part: `main`, or what the host calls the delegated agent. */
  readonly name: string;
  /** How hooks, rules and approvals name it; unique among the agents that run. */
  readonly agentId: string;
  readonly parentAgentId?: string | undefined;
  readonly depth: number;
  readonly member: string;
  readonly model: Model;
  /** What its model is told first, whole. */
  readonly system: string;
  /** The part of `system` that a delegated child inherits. */
  readonly ownSystem: string;
  /** Every tool it may call, by name. */
  readonly tools: ReadonlyMap<string, Tool>;
}

/** One run of one agent in one session, and all that it may use. */
export interface RunContext {
  readonly agent: AgentSetup;
  readonly scope: EventScope & { readonly run: string };
  /** The workspace's real root: the working directory of every call. */
  readonly root: string;
  readonly hooks: Pick<HookChain, "beforeCall" | "afterCall">;
  readonly gate: ApprovalGate;
  readonly ledger: HostLedger<never>;
  readonly writer: SessionWriter;
  readonly bounds: RunBounds;
  readonly usage: RunUsage;
  readonly clock: Clock;
  /** Given when the run is stopped or cancelled, at its deadline, and when its lease is lost. */
  readonly ending: Cue;
  readonly emit: Emit;
  /** Where images of its messages are kept. */
  readonly blobs: BlobStore;
  /** Absent: nobody traces it. */
  readonly trace?: RunTrace | undefined;
}
