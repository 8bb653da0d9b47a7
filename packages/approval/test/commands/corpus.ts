import { readFileSync } from "node:fs";
import type { CommandPattern, RuleSubject, StoredRule } from "../../src/index.ts";

/** What rules come to; `ask`: no rule decides. */
export type Verdict = "allow" | "deny" | "ask";

interface Corpus {
  readonly rules: Readonly<
    Record<string, { readonly allow: readonly CommandPattern[]; readonly deny: readonly CommandPattern[] }>
  >;
  readonly groups: readonly {
    readonly kind: string;
    readonly rules: string;
    readonly verdict: Verdict;
    readonly commands: readonly string[];
  }[];
}

/** Hand-written commands with the verdict each must get. */
export const corpus: Corpus = JSON.parse(
  readFileSync(new URL("corpus.json", import.meta.url), "utf8"),
) as Corpus;

/** A set of the corpus as a store would hold it. */
export function storedRules(name: string): readonly StoredRule[] {
  const { allow, deny } = corpus.rules[name]!;
  return [
    ...allow.map((command, at) => stored(`allow-${at}`, "allow", command)),
    ...deny.map((command, at) => stored(`deny-${at}`, "deny", command)),
  ];
}

function stored(id: string, effect: "allow" | "deny", command: CommandPattern): StoredRule {
  return { id, createdAt: 0, toolName: "spawn", effect, scope: "global", pattern: { command } };
}

/** A call of the spawn tool that runs shell text. */
export function shellCall(body: string, place: { cwd?: string; target?: string } = {}): RuleSubject {
  const { cwd = "/repo/sub", target = "local" } = place;
  return {
    agentId: "main",
    toolName: "spawn",
    input: { input: `!${body}` },
    preview: { body, cwd, mode: "command", target },
    effect: "command",
    cwd,
  };
}
