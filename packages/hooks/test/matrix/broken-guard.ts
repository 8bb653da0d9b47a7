import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FailureCode, HookEvent } from "../../src/index.ts";
import type { Fixture } from "../node/workspace-fixture.ts";

/** Stands in whatever a broken guard prints or says; no model may ever read it. */
export const CANARY = "canary-7f3a";
/** What a guard prints when it behaves. */
export const ALLOW = `{"decision":"allow","reason":"${CANARY}"}`;

/** How a guard is asked: one process a question, or one for all of them. */
export type GuardMode = "process" | "worker";

/** A guard's program in a fixture. */
export interface LaidGuard {
  /** The argument vector. `tag` makes it one of its own, so that no two entries share a worker. */
  command(doing: "break" | "behave", event: HookEvent, tag: string): readonly string[];
}

/** One way in which a guard's program does not answer. */
export interface BrokenGuard {
  /** As the README's table names it. */
  readonly name: string;
  /** What the chain makes of it; several where systems differ. */
  readonly codes: readonly FailureCode[];
  /** For a guard that never ends by itself. Default: time enough. */
  readonly deadlineMs?: number;
  /** It starts a process in a session of its own, which nobody but the test ends. */
  readonly escapes?: boolean;
  /** Its calls follow one another, and the host's memory is watched. */
  readonly isLarge?: boolean;
  lay(fixture: Fixture): Promise<LaidGuard>;
}

/** The parts of a broken guard that are not its program. */
type Facts = Pick<BrokenGuard, "deadlineMs" | "escapes" | "isLarge">;

/** What a shell script does instead of answering. */
interface Script {
  readonly breaking: string;
  /** Default `process`. In a worker `breaking` happens at each question. */
  readonly mode?: GuardMode | undefined;
  /** What a worker does instead of greeting. */
  readonly greeting?: string | undefined;
}

/** A shell script that behaves when its first argument says so, and otherwise does `breaking`. */
export function breaks(
  name: string,
  code: FailureCode | readonly FailureCode[],
  guard: Facts & Script,
): BrokenGuard {
  const { mode, breaking, greeting, ...facts } = guard;
  const lay = async (fixture: Fixture): Promise<LaidGuard> => {
    await fixture.write("workspace/guard.sh", shellProgram({ mode, breaking, greeting }), 0o700);
    return { command: (doing, _event, tag) => ["./guard.sh", doing, tag] };
  };
  return { name, codes: [code].flat(), ...facts, lay };
}

/** A guard that does not end before its deadline. */
export function hangs(name: string, guard: Facts & Script): BrokenGuard {
  return breaks(name, "timed_out", { deadlineMs: 300, ...guard });
}

/** A program for another interpreter than the shell; `behaving` is what it does when its first argument says so. */
export function interpreted(name: string, interpreter: "node" | "python3", breaking: string): BrokenGuard {
  const prologue = {
    node: `if (process.argv[2] === "behave") { console.log(${JSON.stringify(ALLOW)}); process.exit(0); }\n`,
    python3: `import sys\nif sys.argv[1] == "behave":\n    print(${JSON.stringify(ALLOW)}); sys.exit(0)\n`,
  }[interpreter];
  const program = interpreter === "node" ? process.execPath : interpreter;
  const lay = async (fixture: Fixture): Promise<LaidGuard> => {
    await fixture.write("workspace/guard.txt", prologue + breaking);
    return { command: (doing, _event, tag) => [program, "guard.txt", doing, tag] };
  };
  return { name, codes: ["exited"], lay };
}

/** What a guard prints for an event; an answer in it gets the question's id when the guard is a worker. */
export type Printed = string | Buffer | ((event: HookEvent) => string | Buffer);

/** A guard that prints something else than one decision. */
export function prints(
  name: string,
  printed: Printed,
  { code = "invalid_answer", mode = "process" }: { code?: FailureCode; mode?: GuardMode } = {},
): BrokenGuard {
  const saying = mode === "process" ? `cat "$0.$2"` : `sed "s/%ID%/$id/g" "$0.$2"; echo`;
  const lay = async (fixture: Fixture): Promise<LaidGuard> => {
    for (const event of ["pre_tool_use", "post_tool_use"] as const) {
      const bytes = typeof printed === "function" ? printed(event) : printed;
      await writeFile(
        join(fixture.workspace, `guard.sh.${event}`),
        mode === "worker" ? withId(bytes) : bytes,
      );
    }
    await fixture.write("workspace/guard.sh", shellProgram({ mode, breaking: saying }), 0o700);
    return { command: (doing, event, tag) => ["./guard.sh", doing, event, tag] };
  };
  return { name, codes: [code], lay };
}

/** A guard whose program cannot even be started: `lay` answers it broken and mended. */
export function unstartable(
  name: string,
  mode: GuardMode,
  lay: (fixture: Fixture, well: string) => Promise<{ readonly broken: string; readonly mended: string }>,
  codes: readonly FailureCode[] = ["not_started"],
): BrokenGuard {
  return {
    name,
    codes,
    async lay(fixture) {
      const { broken, mended } = await lay(fixture, shellProgram({ mode, breaking: "" }));
      return { command: (doing, _event, tag) => [doing === "break" ? broken : mended, "behave", tag] };
    },
  };
}

/** A shell script in which `allow` prints an allow for the question it is asked. */
function shellProgram({ mode = "process", breaking, greeting = "" }: Script): string {
  if (mode === "process") {
    return `#!/bin/sh\nallow() { echo '${ALLOW}'; }\n[ "$1" = behave ] && { allow; exit 0; }\n${breaking}\n`;
  }
  const allow = ALLOW.replace("{", '{"id":"$id",').replaceAll('"', String.raw`\"`);
  const hello = `echo '{"hook_worker":1}'`;
  return `#!/bin/sh
allow() { echo "${allow}"; }
if [ "$1" = behave ]; then ${hello}; else ${greeting || hello}; fi
while IFS= read -r line; do
  id="\${line#*\\"id\\":\\"}"; id="\${id%%\\"*}"
  [ "$1" = behave ] && { allow; continue; }
  ${breaking || "allow"}
done
`;
}

function withId(bytes: string | Buffer): Buffer {
  const text = Buffer.from(bytes).toString("latin1");
  return Buffer.from(text.replaceAll('{"decision"', '{"id":"%ID%","decision"'), "latin1");
}
