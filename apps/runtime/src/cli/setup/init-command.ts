import { closeSync, lstatSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError } from "../../config/why-not-written.ts";
import { defineCommand, type Command } from "../arguments/command.ts";
import { exitCode } from "../terminal/exit-code.ts";
import { notWritten } from "../terminal/output-file.ts";
import { answer, progress } from "../terminal/output-format.ts";

const hooksJson = `{
  "schema": 1,
  "hooks": [
    { "name": "keep-secrets", "command": ["node", ".basis/hooks/keep-secrets.mjs"], "tools": ["read"] }
  ]
}
`;

const keepSecrets = `// Denies reading environment files. A hook reads one JSON request and prints one JSON answer;
// when it crashes, is late or prints anything else, the call is denied.
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { input } = JSON.parse(text);
const secret = /(^|\\/)\\.env(\\..+)?$/.test(String(input.path ?? ""));
console.log(JSON.stringify(secret ? { decision: "deny", reason: "environment files hold secrets" } : { decision: "allow" }));
`;

const agents =
  "# For agents\n\nSay here what an agent must know about this repository: how it is built, tested and laid out.\n";

const files: readonly (readonly [string, string])[] = [
  [".basis/hooks.json", hooksJson],
  [".basis/hooks/keep-secrets.mjs", keepSecrets],
  ["AGENTS.md", agents],
];

/** `basis init`. */
export const initCommand: Command = defineCommand({
  name: "init",
  about: "Write a first .basis folder and AGENTS.md; what exists is left alone.",
  more: [
    ".basis/hooks.json names programs that are asked before or after each tool call. The one written here denies reading .env files. AGENTS.md stands in every run's system text.",
    "Hooks are programs of the repository, so they run only once you said --trust-workspace; a changed hooks.json or script is refused until you say it again.",
  ],
  options: {},
  examples: [["basis init", 'then: basis --trust-workspace "read .env" and see the hook deny it']],
  async run(_args, { directory }) {
    for (const [path, content] of files) {
      const target = join(directory, path);
      if (isThere(target)) {
        progress(`left alone: ${path}`);
        continue;
      }
      writeWhole(target, content);
      answer(`wrote ${path}`);
    }
    progress('Read the hook, then let it run: basis --trust-workspace "PROMPT"');
    return exitCode.ok;
  },
});

/** Also true of a link that leads nowhere. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // its path runs through a file, which writing names
  }
}

/** A file of which a part could be written would count as there, and guard nothing. */
function writeWhole(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const file = openSync(path, "wx");
    try {
      writeFileSync(file, content);
    } catch (error) {
      rmSync(path);
      throw error;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw isSystemError(error) ? new Error(notWritten(path, error), { cause: error }) : error;
  }
}
