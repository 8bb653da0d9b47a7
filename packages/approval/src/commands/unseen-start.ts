import { wordKey } from "../command-pattern.ts";
import { programFacts, programName } from "./program-facts.ts";
import type { Word } from "./word.ts";

/** A program that starts a shell on its input, or what stands in it, where its words name nothing. */
interface Starter {
  /** So many operands name what it starts instead. */
  readonly operands: number;
  /** Letters of options whose value is a word of its own. */
  readonly values: string;
  /** A word that says that it starts something else, or nothing. */
  readonly unless?: RegExp;
  /** A word that makes it start a shell all the same. */
  readonly shell?: RegExp;
}

const COMMAND = /^-[A-Za-z]*c|^--(?:session-)?command(?:=|$)/;
const starters = new Map<string, Starter>([
  ...named("sudo doas", {
    operands: 1,
    values: "ugphCDRrtTU",
    shell: /^-[A-Za-z]*[si]$|^--(?:shell|login)$/,
  }),
  ...named("su", { operands: Infinity, values: "", unless: COMMAND }),
  ...named("runuser", { operands: Infinity, values: "", unless: /^-[A-Za-z]*[cu]|^--(?:command|user)/ }),
  ...named("chroot setarch", { operands: 2, values: "" }),
  ...named("unshare nsenter", { operands: 1, values: "tSGwRW" }),
  ...named("linux32 linux64 i386 x86_64 fakeroot firejail", { operands: 1, values: "" }),
  ...named("newgrp at batch", { operands: Infinity, values: "", unless: /^-[A-Za-z]*[lrd]$/ }),
  ...named("crontab", { operands: Infinity, values: "", unless: /^-[A-Za-z]*[lr]$/ }),
  ...named("sg", { operands: 2, values: "", unless: COMMAND }),
  ...named("script", { operands: Infinity, values: "", unless: COMMAND }),
  ...named("ssh", { operands: 2, values: "BbcDEeFIiJLlmOoPpQRSWw", unless: /^-[A-Za-z]*[NV]/ }),
  ...named("nix-shell", { operands: Infinity, values: "", unless: /^--(?:run|command)$/ }),
  ...named("parallel", { operands: 1, values: "jnNIasdLPS" }),
]);

function named(programs: string, starter: Starter): readonly (readonly [string, Starter])[] {
  return programs.split(" ").map((program) => [program, starter]);
}

/** Parts of the shell that expand their words once more, as arithmetic, as names, or when something happens. */
const CALCULATORS = new Set(
  "let read unset getopts wait mapfile readarray compgen complete bind hash".split(" "),
);
/** Parts of the shell that keep a text under a name. */
const KEEPERS = new Set("export readonly local declare typeset".split(" "));

/** True for a word that its program expands once more. */
export function isCalculated(program: string, { text }: Word): boolean {
  return CALCULATORS.has(program) || (KEEPERS.has(program) && /^\w+\[/.test(text));
}

/** True for a word that its program keeps for later. */
export function isKept(program: string): boolean {
  return KEEPERS.has(program);
}

/**
 * True when a program may start what none of its words names: `env -S` with escapes of its own, `xargs` before what its
 * input completes, `sudo -s` and `at`, which start what they read.
 */
export function startsWhatNoWordSays(words: readonly Word[]): boolean {
  const name = programName(wordKey(words[0]?.text ?? ""));
  if (name !== "env" && name !== "xargs" && !starters.has(name)) return false;
  const texts = words.slice(1).map(({ text }) => text);
  if (name === "env") return texts.some(isSplit) && texts.some((text) => text.includes("\\"));
  if (name === "xargs") return isCompletedByInput(texts) || isReplacedByInput(texts);
  const starter = starters.get(name);
  return starter !== undefined && isShell(texts, starter);
}

/** `-S`, `-vS`, `--split-string` and its abbreviations. */
function isSplit(text: string): boolean {
  return /^-[A-Za-z0]*S|^--s/.test(text);
}

/** What is read is put behind a program which starts others, and that nothing but options follow. */
function isCompletedByInput(texts: readonly string[]): boolean {
  const runner = texts.findLastIndex((text) => programFacts(wordKey(text)).runner);
  return (
    runner !== -1 &&
    texts.slice(runner + 1).every((text) => /^[-+]|^[A-Za-z_]\w*=|^[\d.]+[smhd]?$/.test(text))
  );
}

/** What is read is put in the place of the program: `xargs -I % % x`. */
function isReplacedByInput(texts: readonly string[]): boolean {
  const at = texts.findIndex((text) => /^-[IJ]/.test(text));
  if (at === -1) return false;
  const attached = texts[at]!.slice(2);
  const mark = attached === "" ? texts[at + 1] : attached;
  const program = texts.slice(attached === "" ? at + 2 : at + 1).find((text) => !text.startsWith("-"));
  return mark !== undefined && program?.includes(mark) === true;
}

function isShell(texts: readonly string[], { operands, values, unless, shell }: Starter): boolean {
  if (shell !== undefined && texts.some((text) => shell.test(text))) return true;
  if (unless !== undefined && texts.some((text) => unless.test(text))) return false;
  const own = texts.filter((text, at) => !text.startsWith("-") && !isValue(texts[at - 1], values));
  return own.length < operands;
}

function isValue(before: string | undefined, values: string): boolean {
  return before !== undefined && /^-.$/.test(before) && values.includes(before[1]!);
}
