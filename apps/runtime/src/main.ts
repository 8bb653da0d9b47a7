#!/usr/bin/env node
import { version } from "./version.ts";

const argv = process.argv.slice(2);
// Scripts ask for the version often: it is answered before anything else is loaded.
if (argv[0] === "--version") process.stdout.write(`${version}\n`);
else {
  const { main } = await import("./cli/main-command.ts");
  const code = await main(argv);
  process.exitCode ||= code;
}
