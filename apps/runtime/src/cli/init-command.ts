import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { command, type Command } from "./command.ts";
import { answer, progress } from "./output-format.ts";

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

const files: readonly (readonly [string, string])[] = [
  [".basis/hooks.json", hooksJson],
  [".basis/hooks/keep-secrets.mjs", keepSecrets],
  [
    "AGENTS.md",
    "# For agents\n\nSay here what an agent must know about this repository: how it is built, tested and laid out.\n",
  ],
];

/** `basis init`. */
export const initCommand: Command = command({
  meta: {
    name: "basis init",
    description: "Write a first .basis folder and AGENTS.md; what exists is left alone.",
  },
  args: {},
  run: () => {
    for (const [path, content] of files) {
      const target = join(process.cwd(), path);
      if (existsSync(target)) {
        progress(`left alone: ${path}`);
        continue;
      }
      mkdirSync(join(target, ".."), { recursive: true });
      writeFileSync(target, content);
      answer(`wrote ${path}`);
    }
    progress('The hook runs once you say: basis --trust-workspace "PROMPT"');
  },
});
