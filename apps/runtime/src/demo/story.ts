import type { BasisEvent, EventType } from "../events/event-schema.ts";
import { describe } from "../cli/render-events.ts";
import { paint } from "../cli/output-format.ts";

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

/** Tells the demonstration to a person, or passes its event log on; and keeps count of what was promised. */
export class Story {
  readonly #json: boolean;
  readonly #seen = new Set<string>();
  readonly #failures: string[] = [];
  #events = 0;

  constructor(json: boolean) {
    this.#json = json;
  }

  hear(event: BasisEvent): void {
    this.#events += 1;
    this.#seen.add(event.type);
    if (event.type === "hook_decided") this.#seen.add(`hook_decided ${event.data.decision}`);
    if (this.#json) {
      process.stdout.write(`${JSON.stringify(event)}\n`);
      return;
    }
    const line =
      event.type === "assistant_message" && event.data.text !== "" ? `“${event.data.text}”` : describe(event);
    if (line !== undefined) this.#write(`${event.parent ? "      " : "    "}${line}`);
  }

  chapter(title: string): void {
    if (!this.#json) this.#write(`\n${paint.bold(title)}`);
  }

  say(text: string): void {
    if (!this.#json) this.#write(`  ${text}`);
  }

  /** What a hook's runner reports beside its decision. */
  aside(text: string): void {
    if (!this.#json) this.#write(paint.dim(`    (${text.split("\n")[0]})`));
  }

  fail(text: string): void {
    this.#failures.push(text);
  }

  /** Says what was shown; false when something that was promised did not happen. */
  finish(): boolean {
    const missing = promised
      .map(([type, decision]) => (decision === undefined ? type : `${type} ${decision}`))
      .filter((name) => !this.#seen.has(name));
    const wrong = [...this.#failures, ...missing.map((name) => `the event log holds no ${name}`)];
    for (const text of wrong) process.stderr.write(`${paint.red("✗")} ${text}\n`);
    if (wrong.length === 0 && !this.#json) {
      this.#write(`\n${paint.green("✓")} ${this.#events} events; everything that was promised happened.`);
    }
    return wrong.length === 0;
  }

  #write(line: string): void {
    process.stdout.write(`${line}\n`);
  }
}
