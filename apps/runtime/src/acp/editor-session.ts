import type { ContentBlock, PromptResponse } from "@agentclientprotocol/sdk";
import type { AgentFile } from "@basis/child-policy/agents";
import type { Runtime } from "../compose.ts";
import { beginSession } from "../host/run-persona.ts";
import type { TurnWorkspaces } from "../host/live-workspace.ts";
import type { WorkspaceFacts } from "../host/workspace.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { ServerTurns } from "../rpc/server-turns.ts";
import type { TurnEnd } from "../rpc/turn-end.ts";
import type { Tool } from "../tools/tool.ts";
import type { PromptInput } from "../images/prompt.ts";
import { readPrompt } from "./prompt-blocks.ts";
import { stopReason } from "./stop-reason.ts";
import { chunk, TurnUpdates, type UpdateSink } from "./turn-updates.ts";

/** What a session is opened with. */
export interface EditorSessionOptions {
  readonly id: string;
  /** False for one that is kept from its first prompt on. */
  readonly isStored: boolean;
  /** The agent of the folder that one that is not kept yet begins as. */
  readonly persona?: AgentFile | undefined;
  readonly workspace: TurnWorkspaces;
  /** As the workspace is now. */
  readonly facts: WorkspaceFacts;
  readonly runtime: Runtime;
  readonly sink: UpdateSink;
}

interface RunningTurn {
  readonly updates: TurnUpdates;
  run: string | undefined;
  isCancelled: boolean;
}

/** A session that an editor has open. One turn at a time runs in it. */
export class EditorSession {
  readonly id: string;
  readonly #workspace: TurnWorkspaces;
  #facts: WorkspaceFacts;
  readonly #runtime: Runtime;
  readonly #sink: UpdateSink;
  readonly #turns: ServerTurns;
  readonly #persona: AgentFile | undefined;
  #isStored: boolean;
  #turn: RunningTurn | undefined;

  constructor({ id, isStored, persona, workspace, facts, runtime, sink }: EditorSessionOptions) {
    this.id = id;
    this.#workspace = workspace;
    this.#facts = facts;
    this.#runtime = runtime;
    this.#sink = sink;
    this.#isStored = isStored;
    this.#persona = persona;
    this.#turns = new ServerTurns(runtime, workspace);
  }

  /** The folder. */
  get root(): string {
    return this.#workspace.root;
  }

  /** The updates of the turn that runs. */
  get updates(): TurnUpdates | undefined {
    return this.#turn?.updates;
  }

  /** False for a session that nobody has prompted yet. */
  get isStored(): boolean {
    return this.#isStored;
  }

  /** A tool by its name, as the next turn has it. */
  readonly tool = (name: string): Tool | undefined =>
    this.#facts.tools.get(name) ?? this.#facts.servers.tools().get(name);

  /**
   * Runs a turn; its updates have been sent when it resolves. Without content the session goes on where it waits.
   *
   * @throws RpcError `busy` while a turn runs, `invalid_params`; what else refuses a turn or ends it as failed.
   */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (this.#turn !== undefined)
      throw new RpcError("busy", "a turn runs in this session: wait for it, or cancel it", {
        kind: "turn_running",
      });
    const prompt = readPrompt(blocks);
    const updates = new TurnUpdates({ sink: this.#sink, root: this.root, tool: this.tool });
    const turn: RunningTurn = { updates, run: undefined, isCancelled: false };
    this.#turn = turn;
    const cancel = (): void => this.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const { events } = this.#runtime.state;
    const silence = events.listen((event) => {
      if (event.session === this.id) updates.hear(event);
    });
    try {
      const end = await this.#run(turn, prompt);
      await events.flush();
      return this.#answer(turn, end);
    } finally {
      silence();
      signal.removeEventListener("abort", cancel);
      this.#turn = undefined;
    }
  }

  /** Ends the turn that runs, its work kept. */
  cancel(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.isCancelled = true;
    if (turn.run !== undefined) this.#turns.stop(turn.run);
  }

  /** Ends its turn, with its work kept, and takes no other. */
  end(): Promise<void> {
    return this.#turns.close();
  }

  /** Ends its turn, then its servers and guards. */
  async close(): Promise<void> {
    this.cancel();
    await this.end();
    await this.#workspace.close();
  }

  async #run(turn: RunningTurn, prompt: PromptInput | undefined): Promise<TurnEnd> {
    this.#facts = (await this.#workspace.current()).facts;
    if (!this.#isStored) {
      if (prompt === undefined)
        throw new RpcError("invalid_params", "a new session begins with a prompt", { kind: "empty_prompt" });
      await beginSession(this.#runtime.state.store, this.#persona, { id: this.id });
      this.#isStored = true;
    }
    const { run } = await this.#turns.start({ session: this.id, prompt, bounds: {} });
    turn.run = run;
    if (turn.isCancelled) this.#turns.stop(run);
    return this.#turns.wait(run, new AbortController().signal);
  }

  #answer({ updates, isCancelled }: RunningTurn, end: TurnEnd): PromptResponse {
    const reason = stopReason({ end, isCancelled, finish: updates.finish });
    const { run, status, stopped_by, approval_id, usage } = end;
    const facts = {
      run,
      status,
      ...(stopped_by !== undefined && { stopped_by }),
      ...(approval_id !== undefined && { approval_id }),
    };
    if (status === "parked" && end.error !== undefined)
      throw new RpcError("busy", end.error, { kind: "parked", retry: "after_fix", ...facts });
    if (reason === undefined)
      throw new RpcError("internal", end.error ?? "the turn failed", { kind: "turn_failed", ...facts });
    if (status === "parked" && approval_id !== undefined)
      this.#sink.send(chunk("agent_message_chunk", waitsFor(approval_id)));
    return { stopReason: reason, _meta: { basis: { ...facts, ...(usage && { usage }) } } };
  }
}

function waitsFor(approval: string): string {
  return `\n[This waits for approval ${approval}: 'basis approvals allow ${approval}' or 'deny' in a terminal, then go on with an empty prompt.]`;
}
