import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestJson, type JsonObject } from "@basis/core";

/** Everything about a call that decides what happens when it is carried out, as plain data. */
export interface Facts {
  readonly input: JsonObject;
  /** The real directory. */
  readonly cwd: string;
  /** The content of each file that the words name; null where there is none. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly hooks: readonly string[];
  readonly policy: string;
  readonly tool: string;
  readonly agent: string;
}

/** A hook: rewrites the words of a command. */
export type Hook = {
  readonly name: string;
  readonly rewrite: (argv: readonly string[]) => readonly string[];
};

/** A small machine around one tool call; every part of it can be changed at any time. */
export class World {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "approval-world-")));
  argv: readonly string[] = ["sh", "deploy.sh", "late.sh"];
  note = "first";
  /** Where the call says it works; may lead through the link. */
  place: string;
  hooks: Hook[] = [{ name: "keep", rewrite: (argv) => argv }];
  policy = "policy-1";
  tool = "tool-1";
  agent = "main";

  constructor() {
    for (const folder of ["one", "two"]) {
      mkdirSync(join(this.root, folder));
      this.write(folder, "deploy.sh", `echo ${folder}`);
    }
    symlinkSync("one", join(this.root, "link"));
    this.place = join(this.root, "link");
  }

  write(folder: string, name: string, text: string): void {
    writeFileSync(join(this.root, folder, name), text);
  }

  erase(folder: string, name: string): void {
    rmSync(join(this.root, folder, name), { force: true });
  }

  pointLink(folder: string): void {
    unlinkSync(join(this.root, "link"));
    symlinkSync(folder, join(this.root, "link"));
  }

  /** What would be carried out now: hooks run on the call, links are followed, files are read. */
  facts(): Facts {
    let argv = this.argv;
    for (const hook of this.hooks) argv = hook.rewrite(argv);
    const cwd = realpathSync(this.place);
    const files = Object.fromEntries(argv.map((word) => [word, contentOf(join(cwd, word))]));
    const { note, policy, tool, agent } = this;
    return {
      input: { argv, note },
      cwd,
      files,
      hooks: this.hooks.map(({ name }) => name),
      policy,
      tool,
      agent,
    };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

function contentOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** The facts in the form that a gate binds. */
export function requestOf(facts: Facts, callKey: string) {
  const { input, cwd, files, hooks, policy, tool, agent } = facts;
  return {
    callKey,
    agent,
    agentId: agent,
    toolName: "run",
    input,
    preview: { shown: input },
    cwd,
    binding: digestJson({ policy, hooks }),
    toolIdentity: digestJson({ tool }),
    evidence: Object.fromEntries(Object.entries(files).map(([name, text]) => [name, digestJson({ text })])),
  };
}
