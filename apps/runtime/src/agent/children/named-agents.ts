import { ChildSpec, type AgentDescription, type ChildPolicy } from "@basis/child-policy";

/** An agent that a task may be for. */
export interface NamedAgent {
  readonly name: string;
  readonly description: AgentDescription;
  readonly spec: ChildSpec;
}

const ADDRESS = /^([A-Za-z0-9][\w-]{0,63}):/;

/** Whom a task is for: the agent whose name and a colon it begins with; undefined for any other task. */
export function namedAgent<Agent extends NamedAgent>(
  task: string,
  agents: readonly Agent[],
): Agent | undefined {
  const name = ADDRESS.exec(task)?.[1];
  return agents.find((agent) => agent.name === name);
}

/** A child is whoever its task is for, as the agent's file says; for nobody, its parent's clone. */
export function namedAgentPolicy(agents: readonly NamedAgent[]): ChildPolicy {
  return ({ prompt }) => namedAgent(prompt, agents)?.spec ?? ChildSpec.inherit();
}

/** What a model is told of the agents, sorted by name; empty without any. */
export function agentsInWords(agents: readonly NamedAgent[]): string {
  if (agents.length === 0) return "";
  const lines = agents
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, description }) => `\n${name}: ${description.description ?? "no description"}`);
  return `\nA task for one of these agents begins with its name and a colon:${lines.join("")}`;
}
