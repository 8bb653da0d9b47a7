#!/usr/bin/env node
import { main } from "./cli/main-command.ts";

process.exitCode = await main(process.argv.slice(2));
