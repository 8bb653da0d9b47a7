import type { ForkPointRequest, PrefixRecord } from "@mobkit/session";
import { askedBoundary, checkForkBoundary, checkForkSource, forkBoundary } from "@mobkit/session/rules";
import { requirePrefixBlobs } from "./blobs.ts";
import type { SqlRow } from "./driver.ts";
import { requireFreeName } from "./members.ts";
import { boundaryColumns, boundaryOf, boundaryPlace, positionOfMessage, prefixOf } from "./messages.ts";
import { packName } from "./packed-text.ts";
import { requireSession, type StoredSession } from "./session-rows.ts";
import { readSpans } from "./spans.ts";
import type { StoreConnection } from "./store-connection.ts";
import { positionOfTurn } from "./turns.ts";

/** What a fork stands on. */
export interface Ground {
  readonly source: StoredSession;
  readonly prefix: PrefixRecord;
  readonly hasSideState: boolean;
}

/** A fork that is asked for; `child` is the name that has to be free. */
export type GroundRequest = ForkPointRequest & { readonly child?: { readonly member: string } | undefined };

/** The source and the prefix that a request means, judged: first the source, then the child's name, then the boundary. */
export function groundOf(connection: StoreConnection, request: GroundRequest): Ground {
  const source = requireSession(connection, request.source.sessionId);
  checkForkSource(source.record, request);
  const member = request.child?.member;
  const length = lengthAsked(connection, source, request);
  const look = lookAt(connection, source.key, { length, member });
  if (look["taken"] !== 0) requireFreeName(connection, member!);
  const row = length === 0 ? undefined : boundaryOf(look);
  const prefix = prefixOf(connection, source, { length, row });
  checkForkBoundary(source.record, request, prefix);
  if (look["lost"] !== 0) requirePrefixBlobs(connection, source, length);
  return { source, prefix, hasSideState: look["sided"] !== 0 };
}

const facts = `EXISTS (SELECT 1 FROM member WHERE name = ?3) AS taken,
  EXISTS (SELECT 1 FROM side_state WHERE session = ?2) AS sided, EXISTS (SELECT 1 FROM blob_gone) AS lost`;
const factsAndRow = `SELECT ${facts}, ${boundaryColumns} FROM ${boundaryPlace}`;
const factsAlone = `SELECT ${facts}, ?1`;

/** Everything that a usual fork has to know, in one statement. */
function lookAt(
  connection: StoreConnection,
  source: number,
  { length, member }: { readonly length: number; readonly member: string | undefined },
): SqlRow {
  const name = member === undefined ? null : packName(member);
  return connection.statement(length === 0 ? factsAlone : factsAndRow).get(length - 1, source, name)!;
}

/** A name that is taken is refused before a boundary that is none. */
function lengthAsked(connection: StoreConnection, source: StoredSession, request: GroundRequest): number {
  try {
    const asked = askedBoundary(source.record, request);
    return "length" in asked ? asked.length : lengthOf(connection, source, asked);
  } catch (refused) {
    if (request.child !== undefined) requireFreeName(connection, request.child.member);
    throw refused;
  }
}

function lengthOf(
  connection: StoreConnection,
  source: StoredSession,
  asked: { readonly messageId: string } | { readonly turnId: string },
): number {
  const spans = readSpans(connection, source);
  const position =
    "messageId" in asked
      ? positionOfMessage(connection, spans, asked.messageId)
      : positionOfTurn(connection, spans, asked.turnId);
  if (position !== undefined) return position + 1;
  const reason = "messageId" in asked ? "unknown_message" : "unknown_turn";
  throw forkBoundary(reason, { source: source.record, at: null });
}
