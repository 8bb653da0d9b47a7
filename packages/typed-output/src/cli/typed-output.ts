#!/usr/bin/env node
import { runCommandLine } from "./command-line.ts";

const { argv, stdout, stderr } = process;
process.exitCode = await runCommandLine(argv.slice(2), {
  print: (text) => void stdout.write(text),
  note: (text) => void stderr.write(`typed-output: ${text}\n`),
});
