import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entry } from "./support/basis-process.ts";
import { Bench } from "./support/bench.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
let member: string;
beforeAll(async () => {
  bench = new Bench();
  const bin = bench.write(
    join(bench.base, "bin/basis"),
    `#!/bin/sh\nexec ${process.execPath} ${entry} "$@"\n`,
  );
  chmodSync(bin, 0o755);
  await bench.run(["run", "x y", "--model", bench.script([{ text: "hello" }])]);
  const [session] = JSON.parse((await bench.run(["sessions", "list", "--json"])).stdout) as {
    member: string;
  }[];
  ({ member } = session!);
  for (const shell of ["bash", "zsh", "fish"])
    bench.write(script(shell), (await bench.run(["completion", shell])).stdout);
});
afterAll(() => bench.remove());

const script = (shell: string): string => join(bench.base, `completion.${shell}`);

const env = (): NodeJS.ProcessEnv => {
  const own = bench.env();
  return { ...own, PATH: `${join(bench.base, "bin")}${delimiter}${own["PATH"]}` };
};

type Complete = (line: string) => readonly string[];
const lines = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .toSorted();

/** Each shell that is here, and how it is asked what may follow a line. */
const shells: ReadonlyMap<string, Complete> = new Map<string, Complete>([
  [
    "bash",
    (line) => {
      const words = line.split(" ");
      const program = `source ${script("bash")}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _basis; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return lines(run("bash", ["--norc", "-c", program, "bash", ...words]));
    },
  ],
  [
    "fish",
    (line) =>
      lines(
        run("fish", ["--no-config", "-c", `source ${script("fish")}; complete -C ${JSON.stringify(line)}`]),
      ).map((each) => each.split("\t")[0]!),
  ],
  [
    "zsh",
    (line) => {
      // What completion offers is printed; which of it begins as the word does is the shell's own affair.
      const program = `compdef() { }
source ${script("zsh")}
compadd() { [[ $1 == -a ]] && print -l -- \${(P)2} || print -l -- "\${@:#--}" }
_describe() { print -l -- "\${(@)choices%%:*}" }
_files() { print -l -- * }
_call_program() { shift; "$@" }
words=("$@"); CURRENT=$#; _basis`;
      const words = line.split(" ");
      return lines(run("zsh", ["-f", "-c", program, "zsh", ...words])).filter((each) =>
        each.startsWith(words.at(-1)!),
      );
    },
  ],
]);

function run(shell: string, argv: readonly string[]): string {
  return execFileSync(shell, argv, { cwd: bench.workspace, env: env(), encoding: "utf8" });
}

const isHere = (shell: string): boolean => spawnSync(shell, ["-c", "exit 0"]).error === undefined;
const cases: readonly (readonly [line: string, some: readonly string[], none: readonly string[]])[] = [
  ["basis ", ["run", "sessions", "wait", "completion"], ["list"]],
  ["basis se", ["serve", "sessions"], ["run"]],
  ["basis sessions ", ["list", "export", "prune"], ["run"]],
  ["basis run --appr", ["--approve"], ["--json"]],
  ["basis run --approve ", ["ask", "never", "always", "park"], ["README.md"]],
  ["basis run --json --output ", ["README.md"], ["ask"]],
  ["basis --mo", ["--model"], []],
  ["basis completion ", ["bash", "zsh", "fish"], []],
];

describe.each([...shells.keys()].filter(isHere))("the completion of %s", (shell) => {
  it("knows commands, options, values and files from the command tables", () => {
    const complete = shells.get(shell)!;
    for (const [line, some, none] of cases) {
      const found = complete(line);
      expect(found).toEqual(expect.arrayContaining([...some]));
      for (const word of none) expect(found).not.toContain(word);
    }
  });

  it("looks up the names of sessions", () => {
    const complete = shells.get(shell)!;
    for (const line of ["basis events ", "basis run --session ", "basis cancel main-"])
      expect(complete(line)).toContain(member);
  });
});

describe("basis completion", () => {
  it("prints scripts that their shells take", () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const text = readFileSync(script(shell), "utf8");
      for (const word of ["sessions", "tool-budget", "until-finished"]) expect(text).toContain(word);
      if (!isHere(shell)) continue;
      expect(spawnSync(shell, ["-n", script(shell)], { encoding: "utf8" })).toMatchObject({
        status: 0,
        stderr: "",
      });
    }
  });

  it("refuses a shell that it does not know, and no shell", async () => {
    expect(await bench.run(["completion", "csh"])).toMatchObject(refused(2, "'csh'", "bash, zsh, fish"));
    expect(await bench.run(["completion"])).toMatchObject(refused(2, "is missing: the shell"));
  });
});
