import { readFileSync } from "node:fs";

/** What a process has asked of the disk, and what it has told meanwhile, in order. */
export type DiskEvent =
  | { readonly what: "write"; readonly path: string; readonly data: Buffer; readonly offset: number }
  | { readonly what: "truncate"; readonly path: string; readonly length: number }
  | { readonly what: "sync"; readonly path: string }
  | { readonly what: "told"; readonly text: string };

/** What strace is told in order to write whole contents down. */
export const WHOLE_CONTENTS = ["-xx", "-s", "1000000"] as const;

const CALL = /^\d+\s+(\w+)\(\d+<((?:\\x..)*)>(?:, "((?:\\x..)*)")?(?:, (\d+))?(?:, (\d+))?\)\s+= (-?\d+)/;

/** The events of a recording with `WHOLE_CONTENTS`. @throws Error for a line that says something else. */
export function readDiskLog(file: string): DiskEvent[] {
  return wholeLines(readFileSync(file, "utf8")).flatMap((line): DiskEvent[] => {
    const [, call, path, data, first, second, answer] = CALL.exec(line) ?? [];
    if (call === undefined || path === undefined) throw new Error(`not understood: ${line.slice(0, 200)}`);
    if (answer === "-1") return [];
    const at = bytes(path).toString("utf8");
    if (call === "pwrite64") return [{ what: "write", path: at, data: bytes(data), offset: Number(second) }];
    if (call === "ftruncate") return [{ what: "truncate", path: at, length: Number(first) }];
    if (call === "write") return [{ what: "told", text: bytes(data).toString("utf8") }];
    return [{ what: "sync", path: at }];
  });
}

/** The calls on open files, each on one line, where it came to its end: strace cuts one when another thread comes between. */
function wholeLines(log: string): string[] {
  const begun = new Map<string, string>();
  return log.split("\n").flatMap((line) => {
    if (line === "" || line.includes("+++ ") || line.includes("unlink(")) return [];
    const [, thread = ""] = /^(\d+)/.exec(line) ?? [];
    const cut = line.indexOf(" <unfinished ...>");
    if (cut !== -1) {
      begun.set(thread, line.slice(0, cut));
      return [];
    }
    const [resumed] = /^\d+\s+<\.\.\. \w+ resumed>/.exec(line) ?? [];
    return [resumed === undefined ? line : `${begun.get(thread)}${line.slice(resumed.length)}`];
  });
}

function bytes(escaped: string | undefined): Buffer {
  return Buffer.from((escaped ?? "").replaceAll("\\x", ""), "hex");
}
