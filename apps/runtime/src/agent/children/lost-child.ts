import type { SessionRecord } from "@mobkit/session";
import type { EventEmitter } from "../../events/event-emitter.ts";
import { everySession } from "../../store/every-session.ts";
import type { HostLedger, Intent } from "../../store/host-ledger.ts";
import type { HostStore } from "../../store/host-store.ts";
import { isStartedBy } from "./find-waiting-child.ts";

/** Where a lost child is looked for. */
export interface LostChildPorts {
  readonly store: HostStore;
  readonly ledger: Pick<HostLedger<never>, "intentsOf">;
  readonly events: Pick<EventEmitter, "readBack">;
}

/**
 * What is known of the child of a call whose process died while the child worked: its session, what it had done and
 * used by then. Nothing that the child or its tools wrote, which no guard has seen. Undefined where no child is found.
 */
export async function tellLostChild(ports: LostChildPorts, intent: Intent): Promise<string | undefined> {
  if (intent.toolName !== "spawn") return undefined;
  const session = await childOf(ports.store, intent);
  if (session === undefined) return undefined;
  if (session.len === 0) return `the subagent's session is ${session.id}; it had not begun`;
  const own = await ports.ledger.intentsOf(session.id);
  const done = countTools(own.filter(({ finishedAt }) => finishedAt !== undefined));
  const cut = countTools(own.filter(({ finishedAt }) => finishedAt === undefined));
  const hasEnded = session.runTurn === null && session.openCalls.length === 0;
  const facts = [
    ...(hasEnded ? ["it had come to its end, but what it reported is lost"] : []),
    done === "" ? "it had finished no call that changes anything" : `it had finished ${done}`,
    ...(cut === "" ? [] : [`whether ${cut} took effect is unknown`]),
    `it had used at least ${await tokensOf(ports.events, session.id)} tokens`,
  ];
  return `the subagent's session is ${session.id}; ${facts.join("; ")}`;
}

async function childOf(store: HostStore, intent: Intent): Promise<SessionRecord | undefined> {
  for await (const session of everySession(store)) if (isStartedBy(session, intent)) return session;
  return undefined;
}

/** Such as `edit (2), run`. */
function countTools(intents: readonly Intent[]): string {
  const counts = new Map<string, number>();
  for (const { toolName } of intents) counts.set(toolName, (counts.get(toolName) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count})`)).join(", ");
}

/** As far as the log tells: what was used last may never have reached it. */
async function tokensOf(events: LostChildPorts["events"], sessionId: string): Promise<number> {
  let tokens = 0;
  for await (const event of events.readBack(sessionId)) {
    if (event.type === "usage") tokens += event.data.usage.input_tokens + event.data.usage.output_tokens;
  }
  return tokens;
}
