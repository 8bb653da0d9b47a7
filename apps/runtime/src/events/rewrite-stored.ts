import type { PostgresTransaction, StoreExtension } from "@mobkit/session-postgres";
import type { EventChange, PendingEvent, RewrittenEvents } from "./event-log.ts";
import type { BasisEvent } from "./event-schema.ts";

/** Texts that one pass over the log looks for. */
const TEXTS_A_PASS = 64;

/** Events that are read at a time. */
const PAGE = 256;

/** What a rewriting does with the events that it finds. */
export interface StoredRewriting {
  readonly change: EventChange;
  readonly write: boolean;
}

/** Finds the events whose stored JSON has one of the texts, and puts changed ones in place, all in one transaction. */
export function rewriteStored(
  extension: StoreExtension,
  texts: readonly string[],
  rewriting: StoredRewriting,
): Promise<RewrittenEvents> {
  const work = ({ sql }: PostgresTransaction) => rewrite(sql, texts, rewriting);
  return rewriting.write ? extension.transaction(work) : extension.read(work);
}

async function rewrite(
  sql: PostgresTransaction["sql"],
  texts: readonly string[],
  { change, write }: StoredRewriting,
): Promise<RewrittenEvents> {
  const found = new Set<number>();
  const changed = new Set<number>();
  for (let from = 0; from < texts.length; from += TEXTS_A_PASS) {
    for await (const { place, event } of eventsWith(sql, texts.slice(from, from + TEXTS_A_PASS))) {
      const next = change(event);
      found.add(place);
      if (next === undefined) continue;
      changed.add(place);
      if (write) await sql.run("UPDATE runtime_event SET body = $2 WHERE place = $1", [place, bodyOf(next)]);
    }
  }
  return { found: found.size, changed: changed.size };
}

async function* eventsWith(
  sql: PostgresTransaction["sql"],
  texts: readonly string[],
): AsyncGenerator<{ readonly place: number; readonly event: BasisEvent }, void, undefined> {
  const page = `SELECT place, seq, body FROM runtime_event
    WHERE place > $1 AND EXISTS (SELECT FROM unnest($2::text[]) AS text WHERE strpos(body, text) > 0)
    ORDER BY place LIMIT ${PAGE}`;
  for (let after = 0; ;) {
    const rows = await sql.all(page, [after, texts]);
    for (const row of rows) {
      const stored = JSON.parse(String(row["body"])) as PendingEvent;
      yield { place: Number(row["place"]), event: { ...stored, seq: Number(row["seq"]) } as BasisEvent };
    }
    if (rows.length < PAGE) return;
    after = Number(rows.at(-1)!["place"]);
  }
}

/** As an event is stored: without its number. */
function bodyOf(event: BasisEvent): string {
  const { seq: _, ...stored } = event;
  return JSON.stringify(stored);
}
