import type { DelegationEnd } from "../results/index.ts";
import type { ChildRun, SpawnToolOptions } from "./delegation-options.ts";

/** A child as its host runs it: hand these to an agent, and run that. */
export interface AgentChildRun<Tool> extends Omit<ChildRun, "tools"> {
  /** Exactly the tools of the plan. */
  readonly tools: Tool[];
}

/** Who delegates, and to what, where tools come in lists. */
export interface ListedSpawnOptions<Tool> extends Omit<SpawnToolOptions, "tools" | "run"> {
  /** The tools of one child before its roster is applied, guarded for that agent; its own spawn tool included, if it may have one. */
  tools(child: Pick<ChildRun, "agentId" | "depth"> & { readonly parentAgentId: string }): readonly Tool[];
  /** Answers the child's last text; undefined when it said nothing. */
  run(child: AgentChildRun<Tool>): PromiseLike<string | DelegationEnd | undefined>;
}

/** The same options with tools by name. */
export function toolsByName<Tool extends { readonly name: string }>(
  options: ListedSpawnOptions<Tool>,
): SpawnToolOptions {
  return {
    ...options,
    tools: (child) => Object.fromEntries(options.tools(child).map((tool) => [tool.name, tool])),
    run: ({ tools, ...child }) => options.run({ ...child, tools: Object.values(tools) as unknown as Tool[] }),
  };
}
