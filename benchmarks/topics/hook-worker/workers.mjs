// The workers of every case: each allows what it is asked, and speaks the protocol of a hook worker.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repository } from "../../harness/places.mjs";

const kits = join(repository, "packages/hooks/kits");

/** By hand in Node: split lines, parse, answer. */
const BY_HAND = `process.stdout.write('{"hook_worker":1}\\n');
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines)
    process.stdout.write(JSON.stringify({ id: JSON.parse(line).id, decision: "allow" }) + "\\n");
});
`;

const NODE_KIT = `import { serve } from ${JSON.stringify(pathToFileURL(join(kits, "hook.mjs")).href)};
await serve(() => ({ decision: "allow" }));
`;

const PYTHON_KIT = `import sys
sys.path.insert(0, ${JSON.stringify(kits)})
from hook import serve
serve(lambda request: {"decision": "allow"})
`;

/** The argument vector of a worker: `cat` (which answers each line with itself), `by hand`, `node kit` or `python kit`. */
export function commandOf({ worker }, directory) {
  const script = (name, text) => {
    const path = join(directory, `${process.pid}-${name}`);
    writeFileSync(path, text);
    return path;
  };
  switch (worker) {
    case "cat":
      return ["cat"];
    case "by hand":
      return [process.execPath, script("by-hand.cjs", BY_HAND)];
    case "node kit":
      return [process.execPath, script("kit.mjs", NODE_KIT)];
    default:
      return ["python3", script("kit.py", PYTHON_KIT)];
  }
}

/** The call that is asked about. */
export const CALL = {
  agentId: "main",
  toolName: "read",
  toolCallId: "call-1",
  inputJson: '{"path":"src/server/index.ts","from":1,"lines":200}',
};

/** A case that asks `once()`, which answers a decision, with `inFlight` questions at a time. */
export function subjectOf(once, { inFlight }, close) {
  const lane = async (count) => {
    for (let at = 0; at < count; at += 1)
      if ((await once()).decision !== "allow") throw new Error("it did not allow");
  };
  return {
    run: (count) =>
      Promise.all(Array.from({ length: inFlight }, (_, at) => lane(Math.floor((count + at) / inFlight)))),
    close,
  };
}
