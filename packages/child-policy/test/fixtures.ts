import type { ChildContext, ChildPolicy, ParentView } from "../src/index.ts";

export const parent: ParentView = {
  tools: ["read", "list", "write", "spawn"],
  hidden: [],
  alwaysHidden: ["delegate", "delegate_many"],
  model: { provider: "anthropic", id: "big" },
};

export const context: ChildContext = {
  prompt: "find the bug",
  parentAgentId: "main",
  workspaceDir: "/repo",
  depth: 0,
  parentTools: parent.tools,
  parentModel: { provider: "anthropic", id: "big" },
  remaining: { levels: 2, children: 100 },
  agents: [],
};

/** A policy that remembers what it was told. */
export function recording(policy: ChildPolicy): { policy: ChildPolicy; asked: ChildContext[] } {
  const asked: ChildContext[] = [];
  return {
    asked,
    policy: (told, options) => {
      asked.push(told);
      return policy(told, options);
    },
  };
}

/** A promise that never settles. */
export const never = (): Promise<never> => new Promise(() => undefined);
