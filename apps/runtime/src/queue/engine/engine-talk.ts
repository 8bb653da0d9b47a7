/** What the engine tells beside its answers. */
export type EngineLogger = Readonly<Record<"info" | "debug" | "warn" | "error", (entry: unknown) => void>>;

/** How the engine begins to say that its database did not do something; the reason follows. Source: DBOS 5.3. */
const TROUBLE =
  /^(?:Database connection failed|Error getting startable workflows for queue [^:]*|Error listing database-backed queues|Error transitioning delayed workflows|Exception cancelling timed-out workflows|Dynamic scheduler: [^:]*|Error fetching dequeued workflow statuses|Unexpected error (?:in pool|on a system database connection)): (.*)$/s;
const RETRY = /\. Retrying in .*$/s;
const NOBODYS = /no longer owned|Max recovery|Contention detected|Increasing polling/;

/** Between two words on a database that is still away, or on the same other trouble. */
const REPEAT_MS = 30_000;

/**
 * What the engine says, as an operator wants it: of a database that is away a word when it goes, one now and then, and one when
 * it is back, whatever of the engine meets it; of other troubles each once in a while.
 */
export class EngineTalk {
  readonly #report: (text: string) => void;
  readonly #told = new Map<string, number>();
  #away: { readonly since: number; told: number } | undefined;

  constructor(report: (text: string) => void = () => undefined) {
    this.#report = report;
  }

  get logger(): EngineLogger {
    const nothing = (): void => undefined;
    return { info: nothing, debug: nothing, warn: (entry) => this.#hear(entry), error: nothing };
  }

  /** A connection of the pool ended while nobody had it. */
  connectionLost({ message }: Error): void {
    this.#isAway(message);
  }

  /** The database has answered. */
  answered(): void {
    if (this.#away === undefined) return;
    const seconds = Math.round((performance.now() - this.#away.since) / 1000);
    this.#away = undefined;
    this.#report(`queue: its database answers again, after ${seconds} s`);
  }

  #hear(entry: unknown): void {
    const text = entry instanceof Error ? entry.message : String(entry);
    if (NOBODYS.test(text)) return;
    const reason = TROUBLE.exec(text)?.[1];
    if (reason === undefined) this.#tellOnce(text);
    else this.#isAway(reason.replace(RETRY, ""));
  }

  #isAway(reason: string): void {
    const now = performance.now();
    if (this.#away !== undefined && now - this.#away.told < REPEAT_MS) return;
    this.#away ??= { since: now, told: now };
    this.#away.told = now;
    this.#report(`queue: its database did not do what it was asked (${reason}); turns wait until it answers`);
  }

  #tellOnce(text: string): void {
    const now = performance.now();
    const last = this.#told.get(text);
    if (last !== undefined && now - last < REPEAT_MS) return;
    if (this.#told.size > 100) this.#told.clear();
    this.#told.set(text, now);
    this.#report(`queue: ${text}`);
  }
}
