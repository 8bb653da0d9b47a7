import type { SessionRecord } from "@mobkit/session";
import { charactersOf } from "./estimate-prefix.ts";
import { imagesIn } from "../images/kept-image.ts";
import type { ModelMessage, UserMessage } from "../providers/model.ts";
import { summaryFacts, summaryText } from "../providers/summary-message.ts";
import type { HostStore } from "../store/host-store.ts";
import type { PlannedRow } from "./compaction-plan.ts";

/** A message of a session's requests. */
export interface ContextRow extends PlannedRow {
  readonly message: ModelMessage;
}

/** What requests of a session are built from. */
export interface SessionContext {
  /** The summary that they begin with, once the session was compacted. */
  readonly summary:
    | { readonly text: string; readonly characters: number; readonly answers: number }
    | undefined;
  /** What follows it. */
  readonly rows: readonly ContextRow[];
}

/** Reads what the next request would hold. */
export async function readContext(
  store: HostStore,
  { id, len }: Pick<SessionRecord, "id" | "len">,
  signal: AbortSignal,
): Promise<SessionContext> {
  const mark = await store.contextMark(id, { signal });
  const rows: ContextRow[] = [];
  let summary: SessionContext["summary"];
  for await (const { position, body, turnId, openAfter } of store.read(id, {
    from: mark?.keepFrom ?? 0,
    to: len,
    signal,
  })) {
    const characters = charactersOf(body);
    if (position === mark?.position) {
      const answers = summaryFacts(body)?.answers ?? 0;
      summary = { text: summaryText(body as UserMessage), characters, answers };
    } else if (summaryFacts(body) === undefined)
      rows.push({ position, role: body.role, turnId, settled: openAfter === 0, characters, message: body });
  }
  return { summary, rows };
}

const WINDOW = 64;

/** The user's last message before a position, its images named; the host's own summaries are none. */
export async function lastAsked(
  store: HostStore,
  { id, before }: { readonly id: string; readonly before: number },
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let to = before; to > 0; to -= WINDOW) {
    let found: UserMessage | undefined;
    for await (const { body } of store.read(id, { from: Math.max(0, to - WINDOW), to, signal }))
      if (body.role === "user" && summaryFacts(body) === undefined) found = body;
    if (found !== undefined) return askedText(found);
  }
  return undefined;
}

function askedText(message: UserMessage): string {
  const images = imagesIn(message).map((part) =>
    "filename" in part && part.filename !== undefined ? part.filename : part.mediaType,
  );
  const text = summaryText(message);
  if (images.length === 0) return text;
  return `[It showed what is not shown from here on: ${images.join(", ")}]\n${text}`;
}
