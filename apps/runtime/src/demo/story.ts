import type { BasisEvent, EventType } from "../events/event-schema.ts";
import { EventLines } from "../cli/terminal/event-line.ts";
import { answer, colorsFor } from "../cli/terminal/output-format.ts";
import { formatLine } from "../cli/terminal/render-events.ts";

/** What the event log must hold in the end, with the decision where one is asked for. */
const promised: readonly (readonly [EventType, string?])[] = [
  ["child_previewed"],
  ["child_finished"],
  ["hook_decided", "deny"],
  ["hook_decided", "modify"],
  ["hook_decided", "replace"],
  ["hook_failed"],
  ["output_rejected"],
  ["output_accepted"],
  ["fork_committed"],
  ["fork_provisioned"],
  ["fork_failed"],
  ["fork_recovered"],
];

const everything = promised.map(([type, decision]) =>
  decision === undefined ? type : `${type} ${decision}`,
);

/** Chapters that begin when the main agent calls a tool of that name. */
const chapters: readonly (readonly [tool: RegExp, title: string])[] = [
  [/^spawn$/, "It delegates: the child is decided by a policy, shown, approved, then started as shown"],
  [/^basis_output_/, "It answers: the value is checked against a schema"],
];

/** Tells the demonstration to a person, or passes its event log on; and keeps count of what was promised. */
export class Story {
  readonly #json: boolean;
  readonly #paint = colorsFor(process.stdout);
  readonly #lines = new EventLines();
  readonly #seen = new Set<string>();
  readonly #failures: string[] = [];
  readonly #open = new Set(chapters);
  #chapters = 0;
  #events = 0;

  constructor(json: boolean) {
    this.#json = json;
  }

  hear(event: BasisEvent): void {
    this.#events += 1;
    this.#seen.add(event.type);
    if (event.type === "hook_decided") this.#seen.add(`hook_decided ${event.data.decision}`);
    if (this.#json) {
      answer(JSON.stringify(event));
      return;
    }
    this.#turnPage(event);
    const line = this.#lines.of(event);
    if (line !== undefined)
      this.#write(formatLine(line, { stream: process.stdout, child: event.parent !== undefined }));
  }

  chapter(title: string): void {
    this.#chapters += 1;
    if (!this.#json) this.#write(`\n${this.#paint.bold(`${this.#chapters}  ${title}`)}`);
  }

  /** What the demonstration itself tells. */
  say(label: string, text: string): void {
    if (!this.#json)
      this.#write(formatLine({ label, tone: "plain", text }, { stream: process.stdout, child: false }));
  }

  fail(text: string): void {
    this.#failures.push(text);
  }

  /** Says what was shown; false when something that was promised did not happen. Default: all of the whole story. */
  finish(expected: readonly string[] = everything): boolean {
    const missing = expected.filter((name) => !this.#seen.has(name));
    const wrong = [...this.#failures, ...missing.map((name) => `the event log holds no ${name}`)];
    for (const text of wrong) process.stderr.write(`${colorsFor(process.stderr).red("✗")} ${text}\n`);
    if (wrong.length === 0 && !this.#json) {
      this.#write(
        `\n${this.#paint.green("✓")} ${this.#events} events; everything that was promised happened.`,
      );
    }
    return wrong.length === 0;
  }

  #turnPage(event: BasisEvent): void {
    if (event.type !== "assistant_message" || event.parent !== undefined) return;
    for (const chapter of this.#open) {
      const [tool, title] = chapter;
      if (!event.data.calls.some(({ tool_name }) => tool.test(tool_name))) continue;
      this.#open.delete(chapter);
      this.chapter(title);
    }
  }

  #write(line: string): void {
    process.stdout.write(`${line}\n`);
  }
}
