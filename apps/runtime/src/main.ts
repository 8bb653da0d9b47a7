#!/usr/bin/env node
import { version } from "./version.ts";

const argv = process.argv.slice(2);
// Scripts ask for the version often: it is answered before anything else is loaded.
if (argv[0] === "--version") {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => void tellLostOutput(error));
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import("./cli/main-command.ts");
  const code = await main(argv);
  process.exitCode ||= code;
}

/** A reader that went away needs no word. */
async function tellLostOutput({ code, message }: NodeJS.ErrnoException): Promise<void> {
  if (code === "EPIPE" || code === "EIO") return;
  process.exitCode = 1;
  const { complain } = await import("./cli/terminal/output-format.ts");
  complain(`standard output cannot be written: ${message}`);
}
