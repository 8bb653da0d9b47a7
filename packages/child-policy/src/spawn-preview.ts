import type { ChildPlan, ChildPreview } from "./child-plan.ts";
import { sortedTargets, type SpawnCall, type SpawnGrammar } from "./spawn-grammar.ts";

/** What an approver is shown of a spawn, keys sorted; `child` only when a policy overrides something. */
export interface SpawnPreview {
  readonly body: string;
  readonly child?: ChildPreview;
  readonly cwd: string;
  readonly mode: "command" | "agent";
  readonly target: string;
}

/** The approver's view of a spawn. A command has no child, whatever plan is given. */
export function spawnPreview(
  call: SpawnCall,
  { cwd, plan }: { readonly cwd: string; readonly plan?: Pick<ChildPlan, "preview"> | undefined },
): SpawnPreview {
  const child = call.mode === "agent" ? plan?.preview() : undefined;
  const { body, mode, target } = call;
  return Object.freeze({ body, ...(child && { child }), cwd, mode, target });
}

/** The spawn tool's description for the model: the same bytes for the same grammar, whatever the order of its targets. */
export function spawnDescription(grammar: SpawnGrammar = {}): string {
  const targets = sortedTargets(grammar);
  const lines = [
    "Hand a task to a subagent and get its last message back. Write the task out: it sees nothing of this conversation.",
  ];
  if (grammar.commands === false)
    lines.push("A task that begins with a literal ! is written with two: !!task.");
  else {
    lines.push(
      "- `task` – the subagent does it and reports back",
      "- `!command` – run a shell command here instead",
    );
    if (targets.length > 0) {
      lines.push(`- \`!@name command\` – run it on a target: ${targets.join(", ")}`);
    }
    lines.push("- `!!task` – a task that begins with one literal !");
  }
  return lines.join("\n");
}
