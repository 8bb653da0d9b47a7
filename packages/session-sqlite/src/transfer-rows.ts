import type { ContextMark, TransferRow } from "@mobkit/session";
import { integerOf } from "@mobkit/session/rules";
import { readRows } from "./messages.ts";
import { textOf } from "./rows.ts";
import type { StoredSpan } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";

/** The rows of a span as they are stored, with the blobs and compactions that belong to them. */
export function readTransferRows(connection: StoreConnection, span: StoredSpan): readonly TransferRow[] {
  const blobs = blobsBySeq(connection, span);
  const marks = marksBySeq(connection, span);
  return readRows(connection, span).map((row) => {
    const beside = (blobs.get(row.seq) ?? []).filter((digest) => digest !== row.blob);
    return Object.freeze({
      row: Object.freeze(row),
      blobs: Object.freeze(beside),
      mark: markAt(marks.get(row.seq), row.position),
    });
  });
}

function blobsBySeq(connection: StoreConnection, span: StoredSpan): Map<number, string[]> {
  const bySeq = new Map<number, string[]>();
  const rows = connection
    .statement("SELECT seq, digest FROM blob_ref WHERE session = ? AND seq >= ? AND seq < ?")
    .all(span.writerKey, span.lo, span.hi);
  for (const row of rows) {
    const seq = integerOf(row, "seq");
    bySeq.set(seq, [...(bySeq.get(seq) ?? []), textOf(row, "digest")]);
  }
  return bySeq;
}

type StoredMark = Omit<ContextMark, "position">;

function marksBySeq(connection: StoreConnection, span: StoredSpan): Map<number, StoredMark> {
  const rows = connection
    .statement("SELECT * FROM context_mark WHERE session = ? AND seq >= ? AND seq < ?")
    .all(span.writerKey, span.lo, span.hi);
  return new Map(
    rows.map((row) => [
      integerOf(row, "seq"),
      {
        summarises: integerOf(row, "summarises"),
        keepFrom: integerOf(row, "keep_from"),
        createdAt: integerOf(row, "created_at"),
      },
    ]),
  );
}

function markAt(mark: StoredMark | undefined, position: number): ContextMark | null {
  return mark === undefined ? null : Object.freeze({ position, ...mark });
}
