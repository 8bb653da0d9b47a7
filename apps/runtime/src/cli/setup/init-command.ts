import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineCommand, type Command } from "../arguments/command.ts";
import { exitCode } from "../terminal/exit-code.ts";
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
      if (existsSync(target)) {
        progress(`left alone: ${path}`);
        continue;
      }
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content, { flag: "wx" });
      answer(`wrote ${path}`);
    }
    progress('Read the hook, then let it run: basis --trust-workspace "PROMPT"');
    return exitCode.ok;
  },
});
