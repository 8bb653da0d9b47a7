#!/usr/bin/env node
import { exitCode, Refusal } from "./exit-code.ts";
import { runCommandLine } from "./command-line.ts";

const { argv, env, stdin, stdout, stderr } = process;
const interruption = new AbortController();
const interrupt = (): void => interruption.abort(new Error("interrupted"));
// A second one ends the process at once.
process.once("SIGINT", interrupt).once("SIGTERM", interrupt).once("SIGHUP", interrupt);

let isLost = false;
for (const stream of [stdout, stderr]) {
  // Nobody reads any more, or it cannot be written: there is nothing left to do.
  stream.on("error", () => {
    isLost = true;
    interrupt();
  });
}

const code = await runCommandLine({
  argv: argv.slice(2),
  get directory() {
    return currentDirectory();
  },
  signal: interruption.signal,
  env,
  stdin,
  stdout,
  stderr,
});
process.exitCode = isLost ? exitCode.found : code;

/** One that was removed has no name; what needs none, such as help, works in it. */
function currentDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    throw new Refusal("the current directory is gone; change to another one (cd)", { cause: error });
  }
}
