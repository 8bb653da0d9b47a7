// What all cases are made of: a parent with so many tools, and what its policy says of a child.

/** The tools of a delegating agent, by name. */
export function toolsOf(count) {
  return Array.from({ length: count }, (_, at) => `tool_${String(at).padStart(3, "0")}`);
}

/** The system text of a child. */
export const system = "You triage failures. Say which file is at fault, and why.";

/** What a policy is told. */
export function contextOf(tools) {
  return {
    prompt: "find the bug",
    parentAgentId: "main",
    workspaceDir: "/repo",
    depth: 0,
    parentTools: tools,
    parentModel: { provider: "anthropic", id: "big" },
    remaining: { levels: 2, concurrent: 8, children: 100 },
    agents: [],
  };
}
