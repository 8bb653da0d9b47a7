import { namedAgent, namedAgentPolicy } from "../agent/children/named-agents.ts";
import { runChild } from "../agent/children/run-child.ts";
import type { RunContext } from "../agent/run/run-context.ts";
import type { Turn, TurnPorts } from "../agent/turn/run-turn.ts";
import {
  delegationSetting,
  spawnTool,
  type Delegation,
  type DelegationSetting,
} from "../agent/children/spawn-tool.ts";
import { inputCheck } from "../tools/input-check.ts";
import type { Tool } from "../tools/tool.ts";
import type { HostParts } from "./prepare-run.ts";
import type { WorkspaceFacts } from "./workspace.ts";

/** What a run's tools need of it. */
interface AgentToolParts {
  readonly ports: TurnPorts;
  readonly started: Turn["started"];
  readonly run: () => RunContext;
}

/** What all turns of a host in one workspace share, settled once: a run that waits to be started holds none of it. */
export class WorkspaceTurns {
  /** Without tracing, which is asked for before each run. */
  readonly ports: TurnPorts;
  readonly #workspace: WorkspaceFacts;
  readonly #setting: DelegationSetting;
  readonly #nameChild: (delegation: Delegation) => string;

  constructor(parts: HostParts, workspace: WorkspaceFacts) {
    const { limits, models, widen } = parts;
    const { agents, commands } = workspace;
    const named = parts.policy === undefined ? agents : [];
    this.ports = portsOf(parts, workspace);
    this.#workspace = workspace;
    this.#nameChild = parts.nameChild ?? (({ task }) => namedAgent(task, named)?.name ?? "child");
    this.#setting = delegationSetting({
      policy: parts.policy ?? (agents.length > 0 ? namedAgentPolicy(agents) : undefined),
      widen,
      limits,
      models,
      commands,
      agents,
      registered: [...workspace.tools.keys()],
    });
  }

  /** The workspace's tools and, for the agent that calls, `spawn`. */
  toolsFor({ ports, started, run }: AgentToolParts): ReadonlyMap<string, Tool> {
    const { limits, models } = this.#setting;
    const spawn = spawnTool(run, this.#setting, (delegation, signal) => {
      const toolsFor = (child: () => RunContext): ReadonlyMap<string, Tool> =>
        this.toolsFor({ ports, started, run: child });
      const nameChild = this.#nameChild;
      return runChild(delegation, signal, { turn: ports, limits, models, nameChild, toolsFor, started });
    });
    return new Map(this.#workspace.tools).set(spawn.name, spawn);
  }
}

function portsOf(
  { state, gate, clock, cancels, transcripts, leaseMs, compactAt }: HostParts,
  { hooks, trail }: WorkspaceFacts,
): TurnPorts {
  const { store, ledger, events } = state;
  const shared = { store, ledger, events, gate, clock, cancels, transcripts, leaseMs, compactAt };
  return { ...shared, hooks, trail, blobs: store.blobs, inputCheck };
}

const settled = new WeakMap<HostParts, WeakMap<WorkspaceFacts, WorkspaceTurns>>();

/** What the turns of a host in a workspace share; the same as long as the workspace is. */
export function workspaceTurns(parts: HostParts, workspace: WorkspaceFacts): WorkspaceTurns {
  let ofHost = settled.get(parts);
  if (ofHost === undefined) {
    ofHost = new WeakMap();
    settled.set(parts, ofHost);
  }
  let turns = ofHost.get(workspace);
  if (turns === undefined) {
    turns = new WorkspaceTurns(parts, workspace);
    ofHost.set(workspace, turns);
  }
  return turns;
}
