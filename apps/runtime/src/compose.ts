import { systemClock, type Clock, type RunReport } from "@basis/core";
import { createApprovalGate, memoryRuleStore, type Approver, type RuleStore } from "@basis/approval";
import { createDelegationLimits, type ChildPolicy, type WidenMode } from "@basis/child-policy";
import type {
  ForkMemberOptions,
  ForkMemberSpec,
  ForkResult,
  Forks,
  Provisioner,
  ResumeForkOptions,
} from "@mobkit/fork";
import { commandReader } from "./approvals/command-reader.ts";
import { gitMayRun } from "./approvals/git-config.ts";
import { forkSession, recoverFork } from "./agent/forks/fork-session.ts";
import { hostForks } from "./agent/forks/host-forks.ts";
import { KeptTranscripts } from "./agent/transcript/kept-transcripts.ts";
import type { Delegation } from "./agent/children/spawn-tool.ts";
import type { AskedCompaction, DoneCompaction } from "./host/asked-compaction.ts";
import { prepareRun, type RunRequest } from "./host/prepare-run.ts";
import type { PreparedTurn } from "./host/prepared-turn.ts";
import { openTending, type TendReport } from "./host/tend-store.ts";
import type { WorkspaceFacts } from "./host/workspace.ts";
import { typedOutputs, type TypedOutputs } from "./host/typed-outputs.ts";
import type { PromptInput } from "./images/prompt.ts";
import type { ModelMessage } from "./providers/model.ts";
import type { ModelSource } from "./providers/model-source.ts";
import { CancelWatch } from "./agent/turn/cancel-watch.ts";
import { baselineEnvironment } from "./tools/run-process.ts";
import { secrets } from "./secrets/secrets.ts";
import { lazyTracing } from "./telemetry/open-tracing.ts";
import type { TraceOptions } from "./telemetry/trace-options.ts";
import { layeredRules } from "./store/layered-rules.ts";
import type { HostState } from "./store/open-state.ts";

/** What a host is made of: opened once for the whole process. */
export interface RuntimeOptions {
  readonly state: HostState;
  readonly models: ModelSource;
  readonly approver: Approver;
  /** Default: those of the state, and beside them, in memory, what was remembered for this process. */
  readonly rules?: RuleStore | undefined;
  /** Default: the agents of the workspace by name; without any, every child is its parent's clone. */
  readonly childPolicy?: ChildPolicy | undefined;
  /** Default `refuse`: no child gets a tool that its parent lacks. */
  readonly widen?: WidenMode | undefined;
  readonly limits?: Parameters<typeof createDelegationLimits>[0];
  /** What a delegated agent is called. Default: the agent of the workspace that the task is for, else `child`. */
  readonly nameChild?: ((delegation: Delegation) => string) | undefined;
  /** Default: a fork is brought to life by its next run. */
  readonly provisioner?: Provisioner<ModelMessage> | undefined;
  readonly clock?: Clock | undefined;
  /** How long a session's lease lasts that is not renewed, in ms. Default 15 s. */
  readonly leaseMs?: number | undefined;
  /**
   * Estimated tokens of a request at which its session is compacted first. Default: only once a provider has refused a request
   * for its length.
   */
  readonly compactAt?: number | undefined;
  /** Texts of at least 8 characters that reach no log, file, trace or answer of this process; `[redacted]` stands there. */
  readonly secrets?: readonly string[] | undefined;
  /** How runs are traced once a tracer is registered with OpenTelemetry's API; without one, nothing is. */
  readonly telemetry?: TraceOptions | undefined;
}

/** One run, ready to start. */
export interface PreparedRun
  extends Pick<PreparedTurn, "sessionId" | "member" | "stop" | "cancel">, TypedOutputs {
  /** Runs a turn; without a prompt the session goes on where it waits. */
  run(prompt?: PromptInput): Promise<RunReport>;
}

/** An open host. */
export interface Runtime {
  readonly state: HostState;
  readonly forks: Forks<ModelMessage>;
  /** Mints a run in a workspace: a new session, or the next turn of one. */
  prepare(workspace: WorkspaceFacts, request?: RunRequest): Promise<PreparedRun>;
  fork(source: string, spec: ForkMemberSpec<ModelMessage>, options?: ForkMemberOptions): Promise<ForkResult>;
  recover(operationId: string, options?: ResumeForkOptions): Promise<ForkResult>;
  /**
   * Summarises the beginning of a session, between its turns. What it says and calls stays in its transcript; requests begin
   * with the summary.
   *
   * @throws CompactionError, ModelError, SessionError; the session is as it was.
   */
  compact(request: AskedCompaction): Promise<DoneCompaction>;
  /**
   * Looks after the store in short steps beside everything else: seats forks whose process died, takes their events out of
   * the outbox and, once an hour, collects what nobody reaches. For the start and now and then; a call joins one that runs.
   */
  tend(): Promise<TendReport | undefined>;
  /** Ends upkeep, waits for running forks, then closes store and events. */
  close(): Promise<void>;
}

/** Composes the blocks into a host. The only place where they meet. */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { state, models, childPolicy, clock = systemClock } = options;
  const { store, ledger, events } = state;
  for (const secret of options.secrets ?? []) secrets.add(secret);
  const rules = options.rules ?? layeredRules(memoryRuleStore({ clock }), ledger.rules);
  const mayRun = gitMayRun((root) => baselineEnvironment(process.env, root));
  const commands = commandReader({ clock, gitMayRun: mayRun });
  const gate = createApprovalGate({
    approver: options.approver,
    rules: commands.over(rules),
    commands: commands.judge,
    clock,
    store: ledger.approvals,
  });
  const forks = hostForks({ store, rules, provisioner: options.provisioner, clock });
  const tending = openTending({ state, forks, clock });
  const reporting = { forks, events, store };
  const tracing = lazyTracing({
    ...options.telemetry,
    redact: (text) => secrets.redact(options.telemetry?.redact?.(text) ?? text),
  });
  const traced = async (work: () => Promise<ForkResult>): Promise<ForkResult> => {
    const known = await tracing();
    return known === undefined ? work() : known.fork(work);
  };
  const parts = {
    state,
    models,
    gate,
    clock,
    leaseMs: options.leaseMs,
    compactAt: options.compactAt,
    cancels: new CancelWatch(ledger.cancels, state.changes, clock),
    transcripts: new KeptTranscripts(),
    limits: createDelegationLimits({ clock, ...options.limits }),
    maxTokens: options.limits?.maxTokens ?? Infinity,
    policy: childPolicy,
    widen: options.widen ?? "refuse",
    nameChild: options.nameChild,
    tracing,
  };
  return {
    state,
    forks,
    async prepare(workspace, request = {}) {
      return preparedRun(await prepareRun(parts, workspace, request));
    },
    fork: (source, spec, given) =>
      traced(() => forkSession(reporting, source, { spec, ...(given && { options: given }) })),
    recover: (operationId, given) => traced(() => recoverFork(reporting, operationId, given)),
    compact: (request) => compact(options, request),
    tend: () => tending.tend(),
    async close() {
      parts.transcripts.close();
      await tending.end();
      await forks.shutdown();
      await state.close();
    },
  };
}

async function compact(
  { state, models, clock = systemClock, leaseMs }: RuntimeOptions,
  request: AskedCompaction,
): Promise<DoneCompaction> {
  const { compactAsked } = await import("./host/asked-compaction.ts");
  return compactAsked({ state, model: models.main, clock, leaseMs }, request);
}

function preparedRun(turn: PreparedTurn): PreparedRun {
  const { sessionId, member } = turn;
  const { output, stream } = typedOutputs(turn);
  return {
    sessionId,
    member,
    stop: () => turn.stop(),
    cancel: () => turn.cancel(),
    run: (prompt) => turn.run(prompt),
    output,
    stream,
  };
}
