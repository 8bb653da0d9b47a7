import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { holdMegabytes } from "./ballast.mjs";
import { CALL, writeScript } from "./script.mjs";

/** The limit: Node's own spawn of the same program, the request written to its input, its output read to the end. */
export function open({ megabytes } = {}, { work }) {
  mkdirSync(work, { recursive: true });
  holdMegabytes(megabytes);
  const script = writeScript(work);
  const env = { PATH: process.env.PATH };
  const once = () =>
    new Promise((resolve, reject) => {
      const child = spawn("sh", [script], { cwd: work, env, stdio: ["pipe", "pipe", "pipe"] });
      let printed = "";
      child.stdout.on("data", (chunk) => (printed += chunk));
      child.stderr.resume();
      child.on("error", reject);
      child.on("close", () => resolve(JSON.parse(printed)));
      child.stdin.end(`${JSON.stringify(CALL)}\n`);
    });
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1)
        if ((await once()).decision !== "allow") throw new Error("it did not allow");
    },
  };
}
