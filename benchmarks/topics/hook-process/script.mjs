import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A hook that reads its request and allows, with what the shell has built in: no second process. */
export function writeScript(directory) {
  const path = join(directory, `hook-${process.pid}.sh`);
  writeFileSync(path, `read -r request\necho '{"decision":"allow"}'\n`);
  return path;
}

/** The call that the hook is asked about. */
export const CALL = {
  agentId: "main",
  toolName: "read",
  toolCallId: "call-1",
  inputJson: '{"path":"src/server/index.ts","from":1,"lines":200}',
};
