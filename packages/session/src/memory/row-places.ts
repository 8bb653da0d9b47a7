import type { RowPlace } from "../span.ts";
import type { StoredRow } from "../transcript-row.ts";

type Index = Map<string, RowPlace[]>;

/**
 * Where rows are kept, by message and by turn. Made from all rows when it is first asked for anything, and kept up from
 * then on: a store that nobody forks by message and redacts nothing in has no use for it.
 */
export class RowPlaces {
  readonly #rows: () => Iterable<StoredRow>;
  #indexes: { readonly message: Index; readonly turn: Index } | undefined;

  /** `rows` answers every row of the store, those of a session in the order of their numbers. */
  constructor(rows: () => Iterable<StoredRow>) {
    this.#rows = rows;
  }

  ofMessage(id: string): readonly RowPlace[] {
    return this.#made().message.get(id) ?? [];
  }

  ofTurn(id: string): readonly RowPlace[] {
    return this.#made().turn.get(id) ?? [];
  }

  /** Takes in a row that was added. */
  note(row: StoredRow): void {
    if (this.#indexes === undefined) return;
    note(this.#indexes.message, row.id, row);
    if (row.turnId !== null) note(this.#indexes.turn, row.turnId, row);
  }

  /** Leaves out a row that was removed. */
  forget(row: StoredRow): void {
    if (this.#indexes === undefined) return;
    forget(this.#indexes.message, row.id, row);
    if (row.turnId !== null) forget(this.#indexes.turn, row.turnId, row);
  }

  #made(): { readonly message: Index; readonly turn: Index } {
    if (this.#indexes === undefined) {
      this.#indexes = { message: new Map(), turn: new Map() };
      for (const row of this.#rows()) this.note(row);
    }
    return this.#indexes;
  }
}

function note(index: Index, key: string, { writer, seq }: RowPlace): void {
  const places = index.get(key);
  if (places === undefined) index.set(key, [{ writer, seq }]);
  else places.push({ writer, seq });
}

function forget(index: Index, key: string, row: RowPlace): void {
  const left = (index.get(key) ?? []).filter(({ writer, seq }) => writer !== row.writer || seq !== row.seq);
  if (left.length === 0) index.delete(key);
  else index.set(key, left);
}
