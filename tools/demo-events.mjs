// `node tools/demo-events.mjs FILE`: the demo's event log holds every kind of event that the demo exists to show.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Each needed event: its type and, where one type has several meanings, the decision in its data. */
const needed = [
  { type: "child_previewed" },
  { type: "child_finished" },
  { type: "hook_decided", decision: "deny" },
  { type: "hook_decided", decision: "modify" },
  { type: "hook_decided", decision: "replace" },
  { type: "hook_failed" },
  { type: "output_rejected" },
  { type: "output_accepted" },
  { type: "fork_committed" },
  { type: "fork_provisioned" },
  { type: "fork_failed" },
  { type: "fork_recovered" },
];

/** @param {string} text JSON lines. @returns {string[]} what is missing, or the line that is no event. */
export function missingEvents(text) {
  const events = [];
  for (const [index, line] of text.trimEnd().split("\n").entries()) {
    try {
      events.push(JSON.parse(line));
    } catch {
      return [`line ${index + 1} is not JSON: ${line.slice(0, 120)}`];
    }
  }
  /** @param {{ type: string, decision?: string }} one */
  const holds = ({ type, decision }) =>
    events.some(
      (event) => event.type === type && (decision === undefined || event.data?.decision === decision),
    );
  return needed
    .filter((one) => !holds(one))
    .map(({ type, decision }) => `no ${type} event${decision ? ` with decision ${decision}` : ""}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = missingEvents(readFileSync(process.argv[2], "utf8"));
  for (const problem of missing) process.stdout.write(`${problem}\n`);
  process.exitCode = missing.length > 0 ? 1 : 0;
}
