import pg from "pg";

/** How often turn and lease are looked at. */
const LOOK_EVERY_MS = 100;

/** What is watched, and where. */
export interface WatchedTurn {
  readonly database: URL;
  readonly run: string;
  readonly session: string;
}

/** Keeps what happened around a takeover, so that one that comes late explains itself. */
export class TakeoverStory {
  readonly #lines: string[] = [];
  readonly #since = performance.now();

  tell(who: string, text: string): void {
    const at = Math.round(performance.now() - this.#since);
    for (const line of text.split("\n")) if (line !== "") this.#lines.push(`${at} ms ${who}: ${line}`);
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  /** Tells of each change of the turn's row and its session's lease, until the answer is called. */
  async watch({ database, run, session }: WatchedTurn): Promise<() => Promise<void>> {
    const schema = database.searchParams.get("schema")!;
    const url = new URL(database);
    url.searchParams.delete("schema");
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    const look = `SELECT turn.status, turn.executor_id AS by, session.lease_owner AS owner, session.lease_epoch AS epoch,
        session.lease_expires_at - (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS left_ms
      FROM "${schema}_queue".workflow_status AS turn, "${schema}".session AS session
      WHERE turn.workflow_uuid = $1 AND session.id = $2`;
    const ending = { isOver: false };
    const looking = this.#look(() => client.query(look, [run, session]), ending);
    return async () => {
      ending.isOver = true;
      await looking;
      await client.end();
    };
  }

  async #look(ask: () => Promise<pg.QueryResult>, ending: { readonly isOver: boolean }): Promise<void> {
    let before = "";
    while (!ending.isOver) {
      const [row] = (await ask()).rows as readonly Record<string, unknown>[];
      const { left_ms: left, ...now } = row ?? {};
      const text = JSON.stringify(now);
      if (text !== before) this.tell("database", `${text} lease left ${String(left)} ms`);
      before = text;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  }
}
