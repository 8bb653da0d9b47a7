import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChildSpec, planChild } from "@basis/child-policy";
import { loadAgents } from "@basis/child-policy/agents";

const folder = mkdtempSync(join(tmpdir(), "agents-"));
const lines = ["---", "name: triage", "tools: [read, search]", "model: openai/small", "---", "You triage."];
writeFileSync(join(folder, "triage.md"), lines.join("\n"));

const { agents, guardFiles } = await loadAgents(folder); // keep guardFiles out of every agent's reach
const specs = new Map(agents.map(({ name, spec }) => [name, spec]));
const policy = ({ prompt }) => specs.get(prompt.split(":")[0]) ?? ChildSpec.inherit();

const plan = planChild(
  { tools: ["read", "search", "write"], hidden: [] },
  policy({ prompt: "triage: it fails" }),
);
assert.deepEqual(plan.preview(), {
  model: { id: "small", provider: "openai" },
  roster: { offered: ["read", "search"] },
  system: "replaced",
});
assert.equal(guardFiles.length, 1);
