// Steps of a command: each prints one line with its seconds, and the failed ones are named at the end.
import { spawn } from "node:child_process";
import { delimiter, join } from "node:path";
import { repositoryRoot } from "./workspace.mjs";

/**
 * Runs steps one after the other; a failing one does not stop the rest.
 * `work` answers a list of problems, or throws; none means that the step passed.
 */
export class Steps {
  failed = [];
  passed = [];
  #print;

  /** @param {(line: string) => void} print Where the lines go: stdout. */
  constructor(print = (line) => void process.stdout.write(`${line}\n`)) {
    this.#print = print;
  }

  /** @param {string} label @param {() => string[] | Promise<string[]>} work */
  async run(label, work) {
    const started = performance.now();
    const problems = await Promise.resolve()
      .then(work)
      .catch((error) => [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    for (const problem of problems) this.#print(`  ${problem}`);
    this.#print(`${problems.length === 0 ? "✓" : "✗"} ${label} (${seconds} s)`);
    (problems.length === 0 ? this.passed : this.failed).push(label);
    return problems.length === 0;
  }

  /** Names what failed and sets the exit code; prints nothing when all passed. */
  finish() {
    if (this.failed.length === 0) return;
    this.#print(`✗ failed: ${this.failed.join(", ")}`);
    process.exitCode = 1;
  }
}

/**
 * Runs a program of the workspace (`node_modules/.bin` comes first on PATH).
 * With `quiet` its output is kept back and answered as problems only when it fails.
 * @returns {Promise<string[]>}
 */
export function runProgram(command, args, { quiet = false, cwd = repositoryRoot, env = {} } = {}) {
  const path = `${join(repositoryRoot, "node_modules", ".bin")}${delimiter}${process.env.PATH}`;
  return new Promise((settle) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: path, ...env },
      stdio: ["ignore", quiet ? "pipe" : "inherit", quiet ? "pipe" : "inherit"],
      shell: process.platform === "win32",
    });
    const output = [];
    child.stdout?.on("data", (chunk) => output.push(chunk));
    child.stderr?.on("data", (chunk) => output.push(chunk));
    child.once("error", (error) => settle([`${command} could not be started: ${error.message}`]));
    child.once("close", (code) => {
      if (code === 0) return settle([]);
      const said = Buffer.concat(output).toString().trimEnd();
      settle([...(said ? said.split("\n") : []), `${command} ended with ${code ?? "a signal"}`]);
    });
  });
}
