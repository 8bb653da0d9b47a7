import { parseModelRef, type ModelInfo } from "@basis/core";
import type { AgentDescription } from "../child-context.ts";
import { ChildPolicyError } from "../child-policy-error.ts";
import { ChildSpec } from "../child-spec.ts";
import { ToolRoster } from "../tool-roster.ts";
import {
  readFrontMatter,
  type FrontMatter,
  type FrontMatterEntry,
  type LineProblem,
} from "./front-matter.ts";
import { didYouMean } from "./nearest-name.ts";

/** An agent as its file describes it. */
export interface AgentFile {
  readonly name: string;
  readonly file: string;
  /** What a child of this kind overrides: only what the file says. */
  readonly spec: ChildSpec;
  /** The same for a policy to choose from, as `context.agents` takes it. */
  readonly description: AgentDescription;
}

/** How a file is read. */
export interface AgentFileOptions {
  /** How errors call the file. */
  readonly file: string;
  /** What a `model` that is no `provider/id` stands for; undefined for what it does not know. Absent: nothing. */
  readonly models?: ((name: string) => ModelInfo | undefined) | undefined;
}

/** A problem with the file it was found in. */
export interface AgentFileProblem extends LineProblem {
  readonly file: string;
}

const KEYS = ["name", "description", "tools", "disallowedTools", "model"] as const;
type Key = (typeof KEYS)[number];

/**
 * Reads one agent file: front matter with `name`, `description?`, `tools?`, `disallowedTools?`, `model?`, and the system
 * text below it. `model: inherit` and an empty body override nothing.
 *
 * @throws ChildPolicyError `agent_files` with every problem and its line.
 */
export function parseAgentFile(text: string, options: AgentFileOptions): AgentFile {
  const read = readAgent(text, options);
  if ("problems" in read) throw agentFilesError(read.problems);
  return read;
}

/** The error that names all problems of all files. */
export function agentFilesError(problems: readonly AgentFileProblem[]): ChildPolicyError<"agent_files"> {
  const lines = problems.map(({ file, line, problem }) => `${file}:${line} ${problem}`);
  return new ChildPolicyError("agent_files", `agent files cannot be used:\n${lines.join("\n")}`, {
    details: { problems },
  });
}

/** The agent, or everything that is wrong with its file. */
export function readAgent(
  text: string,
  options: AgentFileOptions,
): AgentFile | { readonly problems: readonly AgentFileProblem[] } {
  const parts = readFrontMatter(text);
  const draft = new AgentDraft(parts, options);
  const agent = draft.agent();
  const { file } = options;
  if (draft.problems.length === 0) return agent;
  const problems = draft.problems.toSorted((left, right) => left.line - right.line);
  return { problems: problems.map((problem) => ({ file, ...problem })) };
}

/** One file on its way to an agent; collects problems instead of stopping at the first. */
class AgentDraft {
  readonly problems: LineProblem[];
  readonly #entries = new Map<Key, FrontMatterEntry>();
  readonly #parts: FrontMatter;
  readonly #options: AgentFileOptions;

  constructor(parts: FrontMatter, options: AgentFileOptions) {
    this.#parts = parts;
    this.#options = options;
    this.problems = [...parts.problems];
    for (const entry of parts.entries) {
      if (isKey(entry.key)) this.#entries.set(entry.key, entry);
      else
        this.#report(entry.line, `'${entry.key}' is no key of an agent file${didYouMean(entry.key, KEYS)}`);
    }
    if (parts.problems.length === 0 && !this.#entries.has("name")) this.#report(1, "'name' is missing");
  }

  agent(): AgentFile {
    const name = this.#name();
    const about = this.#text("description");
    const tools = this.#names("tools");
    const disallowed = this.#names("disallowedTools");
    const model = this.#model();
    const system = this.#system();
    let spec = ChildSpec.inherit();
    if (tools !== undefined)
      spec = spec.withRoster(ToolRoster.only(tools.filter((tool) => !disallowed?.includes(tool))));
    else if (disallowed !== undefined) spec = spec.withRoster(ToolRoster.hide(disallowed));
    if (model !== undefined) spec = spec.withModel(model);
    if (system !== undefined) spec = spec.withSystem(system);
    const description: AgentDescription = Object.freeze({
      name,
      ...(about === undefined ? {} : { description: about }),
      ...(spec.roster?.offered === undefined ? {} : { tools: spec.roster.offered }),
      ...(model === undefined ? {} : { model }),
      ...(system === undefined ? {} : { system }),
    });
    return Object.freeze({ name, file: this.#options.file, spec, description });
  }

  #name(): string {
    const name = this.#text("name") ?? "";
    const entry = this.#entries.get("name");
    if (entry !== undefined && !/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) {
      this.#report(entry.line, "'name' is not made of letters, digits, - and _, at most 64");
    }
    return name;
  }

  #text(key: Key): string | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (typeof entry.value === "string") return entry.value;
    this.#report(entry.line, `'${key}' is a list, not a text`);
    return undefined;
  }

  /** A list, or a text with commas. */
  #names(key: Key): readonly string[] | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const list =
      typeof entry.value === "string" ? entry.value.split(",").map((name) => name.trim()) : entry.value;
    for (const name of list) {
      if (!/^[\w.:/-]+$/.test(name)) {
        this.#report(
          entry.line,
          `'${key}' holds '${name}', which is no tool name: patterns belong into rules, and all tools are meant by leaving the key out`,
        );
        return undefined;
      }
    }
    return list;
  }

  #model(): ModelInfo | undefined {
    const text = this.#text("model");
    if (text === undefined || text === "inherit") return undefined;
    const model = this.#options.models?.(text) ?? parseModelRef(text);
    if (model === undefined) {
      this.#report(
        this.#entries.get("model")!.line,
        `'model' is '${text}', which is neither provider/id nor a model name of this host`,
      );
    }
    return model;
  }

  #system(): string | undefined {
    const { body } = this.#parts;
    if (body === "") return undefined;
    if (!/\p{Surrogate}/u.test(body)) return body;
    this.#report(1, "the text below the front matter is not valid Unicode");
    return undefined;
  }

  #report(line: number, problem: string): void {
    this.problems.push({ line, problem });
  }
}

function isKey(key: string): key is Key {
  return (KEYS as readonly string[]).includes(key);
}
