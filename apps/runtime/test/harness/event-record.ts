import assert from "node:assert/strict";
import type { ModelMessage } from "../../src/providers/model.ts";
import type { BasisEvent, EventData, EventType } from "../../src/events/event-schema.ts";
import { eventSchema } from "../../src/events/event-schema.ts";
import type { HostState } from "../../src/store/open-state.ts";
import { storedEvents } from "./stored-events.ts";

/** Every event of a host in the order of their coming. */
export class EventRecord {
  readonly all: BasisEvent[] = [];

  readonly hear = (event: BasisEvent): void => void this.all.push(event);

  types(session?: string): readonly EventType[] {
    return this.of(session).map(({ type }) => type);
  }

  /** Events of one session, or of all. */
  of(session?: string): readonly BasisEvent[] {
    return session === undefined ? this.all : this.all.filter((event) => event.session === session);
  }

  /** The data of all events of a type. */
  data<T extends EventType>(type: T, session?: string): readonly EventData<T>[] {
    return this.of(session)
      .filter((event) => event.type === type)
      .map((event) => event.data as EventData<T>);
  }

  /** Every event fits the schema; stored ones are numbered without a gap; a run begins and ends once, and ends last. */
  check(): void {
    const next = new Map<string, number>();
    const runs = new Map<string, EventType[]>();
    for (const event of this.all) {
      const { session, run, seq, type } = event;
      assert.equal(eventSchema.safeParse(event).error?.message, undefined, JSON.stringify(event));
      if (seq !== undefined) {
        assert.equal(seq, next.get(session) ?? seq, `number of ${type}`);
        next.set(session, seq + 1);
      }
      if (run !== undefined) runs.set(`${session} ${run}`, [...(runs.get(`${session} ${run}`) ?? []), type]);
    }
    for (const types of runs.values()) checkRun(types);
  }
}

function checkRun(types: readonly EventType[]): void {
  const told = types.join(" ");
  if (types.includes("run_started")) assert.equal(types[0], "run_started", told);
  if (types.includes("run_finished")) assert.equal(types.at(-1), "run_finished", told);
  for (const type of ["run_started", "run_finished"])
    assert.ok(types.filter((each) => each === type).length < 2, told);
}

/**
 * Every call of every session has exactly one result, or is open and waits for an approval; every row of its own was
 * told exactly once.
 */
export async function checkSessions(state: HostState): Promise<void> {
  const { items } = await state.store.listSessions({ limit: 1000 });
  for (const { id, baseLen, openCalls } of items) {
    const log = await storedEvents(state, id);
    assert.deepEqual(
      log.map(({ seq }) => seq),
      log.map((_, index) => index + 1),
    );
    const told = log.flatMap(({ data }) => ("message_id" in data ? [data.message_id] : []));
    assert.equal(new Set(told).size, told.length, `rows of ${id} told twice`);
    const messages: ModelMessage[] = [];
    for await (const row of state.store.read(id)) {
      messages.push(row.body);
      if (row.position >= baseLen) assert.ok(told.includes(row.id), `row ${row.position} of ${id} not told`);
    }
    checkCalls(messages, openCalls);
  }
}

function checkCalls(messages: readonly ModelMessage[], openCalls: readonly string[]): void {
  const parts = messages.flatMap<{ readonly type: string }>(({ content }) =>
    typeof content === "string" ? [] : content,
  );
  const ids = (type: string): string[] =>
    parts.flatMap((part) => (part.type === type && "toolCallId" in part ? [String(part.toolCallId)] : []));
  const answered = ids("tool-result");
  for (const id of ids("tool-call")) {
    const results = answered.filter((each) => each === id).length;
    assert.equal(results, openCalls.includes(`call:${id}`) ? 0 : 1, `results of ${id}`);
  }
  assert.equal(ids("tool-call").length, answered.length + openCalls.length);
}
