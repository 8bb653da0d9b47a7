import { createHash } from "node:crypto";
import { contextOf, system, toolsOf } from "./scene.mjs";

/**
 * The limit: the least a host by hand does for the same. Copies of what a policy is told and of what the child is measured
 * against, the policy awaited, the roster checked against the parent's, the facts digested, the preview copied.
 */
export async function open({ tools: count }) {
  const tools = toolsOf(count);
  const context = contextOf(tools);
  const parent = { tools, hidden: [], alwaysHidden: ["delegate"], model: context.parentModel };
  const offered = tools.slice(0, count / 2);
  const policy = async () => ({ roster: [...offered].sort(), system });
  const decide = async () => {
    const measured = structuredClone(parent);
    const spec = await policy(structuredClone(context));
    const names = new Set(measured.tools);
    if (!spec.roster.every((name) => names.has(name))) throw new Error("wider");
    const facts = { model: measured.model, roster: spec.roster, system: spec.system };
    const digest = createHash("sha256").update(JSON.stringify(facts)).digest("hex");
    return { digest, preview: { body: "find the bug", child: { roster: [...spec.roster] }, cwd: "/repo" } };
  };
  return {
    async run(times) {
      for (let at = 0; at < times; at += 1) await decide();
    },
  };
}
