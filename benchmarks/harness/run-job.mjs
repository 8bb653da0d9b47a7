import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const child = fileURLToPath(new URL("child.mjs", import.meta.url));

/**
 * Measures a job's cases in a fresh process.
 * @returns {Promise<{ cases: { id: string, samples?: number[], cpu?: number[], count?: number, problem?: string }[], process?: object }>}
 */
export function runJob(job) {
  const failed = (problem) => ({ cases: job.cases.map(({ id }) => ({ id, problem })) });
  return new Promise((resolve) => {
    const started = spawn(process.execPath, ["--expose-gc", "--no-warnings", child], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let answer;
    let said = "";
    started.stderr.setEncoding("utf8").on("data", (text) => {
      said = (said + text).slice(-4000);
    });
    started.on("message", (message) => {
      answer = message;
    });
    started.on("error", (error) => resolve(failed(error.message)));
    started.on("close", (code) =>
      resolve(answer ?? failed(`ended with ${code}: ${said.trim() || "silently"}`)),
    );
    started.send(job);
  });
}
