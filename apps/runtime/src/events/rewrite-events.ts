import type { SqliteConnection } from "@mobkit/session-sqlite";
import type { EventChange, RewrittenEvents } from "./event-log.ts";
import type { BasisEvent } from "./event-schema.ts";

/** Texts that one pass over the log looks for. */
const TEXTS_A_PASS = 64;

/** Events that are read at a time. */
const PAGE = 256;

/** What a rewriting does with the events that it finds. */
export interface Rewriting {
  readonly change: EventChange;
  readonly write: boolean;
}

/** Finds the events of a log's table whose stored JSON has one of the texts, and puts changed ones in place. */
export function rewriteEvents(
  db: SqliteConnection,
  texts: readonly string[],
  rewriting: Rewriting,
): RewrittenEvents {
  const found = new Set<number>();
  const changed = new Set<number>();
  for (let from = 0; from < texts.length; from += TEXTS_A_PASS) {
    const some = texts.slice(from, from + TEXTS_A_PASS);
    for (const { place, event } of eventsWith(db, some)) {
      const next = rewriting.change(event);
      found.add(place);
      if (next === undefined) continue;
      changed.add(place);
      if (rewriting.write)
        db.prepare("UPDATE event SET body = ? WHERE rowid = ?").run(JSON.stringify(next), place);
    }
  }
  return { found: found.size, changed: changed.size };
}

function* eventsWith(
  db: SqliteConnection,
  texts: readonly string[],
): Iterable<{ readonly place: number; readonly event: BasisEvent }> {
  const any = texts.map(() => "instr(body, ?) > 0").join(" OR ");
  const page = db.prepare(
    `SELECT rowid AS place, body FROM event WHERE rowid > ? AND (${any}) ORDER BY rowid LIMIT ${PAGE}`,
  );
  for (let after = 0; ;) {
    const rows = page.all(after, ...texts);
    for (const row of rows) {
      const event = JSON.parse(String(row["body"])) as BasisEvent;
      yield { place: Number(row["place"]), event };
    }
    if (rows.length < PAGE) return;
    after = Number(rows.at(-1)!["place"]);
  }
}
