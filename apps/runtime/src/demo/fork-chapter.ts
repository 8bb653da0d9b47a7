import { committedForkIsRecoverable, isForkError, type Provisioner } from "@mobkit/fork";
import type { ModelMessage } from "../providers/model.ts";
import type { DemoHost } from "./run-demo.ts";

/** A provisioner that can be made to fail. */
export interface FlakyProvisioner extends Provisioner<ModelMessage> {
  failing: boolean;
}

interface Source {
  readonly id: string;
  readonly member: string;
}

const NEXT = "Say in one sentence what you would do next.";

/** Forks the finished session into two branches, is refused a fork that would split a call, and recovers one that failed. */
export async function forkChapter(host: DemoHost, source: Source): Promise<void> {
  const { runtime, story } = host;
  story.chapter("Its session is forked: two branches that differ, one fork refused, one recovered");
  const { len } = await runtime.state.store.head(source.id);
  for (const name of ["reviewer", "writer"]) await branch(host, source, { name, at: len });
  await refusedFork(host, source);
  await recoveredFork(host, source);
  await runtime.state.events.flush();
}

async function branch(
  { runtime, facts, story, signal }: DemoHost,
  source: Source,
  { name, at }: { name: string; at: number },
): Promise<void> {
  const spec = { identity: name, role: "main", launchMode: "fresh" } as const;
  const fork = await runtime.fork(source.member, spec, { at });
  const run = await runtime.prepare(facts, { sessionId: fork.sessionId, signal });
  story.say("task", `to ${name}: ${NEXT}`);
  const report = await run.run(NEXT);
  signal.throwIfAborted();
  if (report.outcome !== "completed")
    story.fail(`the branch ${name} should complete, not end as ${report.outcome}`);
}

/** A boundary between a call and its result is refused, and the nearest legal ones are named. */
async function refusedFork({ runtime, story }: DemoHost, source: Source): Promise<void> {
  const between = await positionAfterFirstCall(runtime.state.store, source.id);
  try {
    await runtime.fork(
      source.member,
      { identity: "split", role: "main", launchMode: "fresh" },
      { at: between },
    );
    story.fail("a fork between a call and its result should be refused");
  } catch (error) {
    if (!isForkError(error, "fork_boundary")) throw error;
    const { nearestBefore, nearestAfter } = error.details;
    if (nearestBefore === null || nearestAfter === null)
      story.fail("a refused fork should name the legal points beside it");
  }
}

async function positionAfterFirstCall(
  store: DemoHost["runtime"]["state"]["store"],
  session: string,
): Promise<number> {
  for await (const row of store.read(session)) if (row.openAfter > 0) return row.position + 1;
  throw new Error("the demonstration's run made no call");
}

/** The commit stands although nobody could be seated; the id in the error is enough to finish it. */
async function recoveredFork({ runtime, story, provisioner }: DemoHost, source: Source): Promise<void> {
  provisioner.failing = true;
  try {
    await runtime.fork(source.member, { identity: "late", role: "main", launchMode: "fresh" });
    story.fail("a fork whose member cannot be provisioned should fail");
  } catch (error) {
    if (!committedForkIsRecoverable(error)) throw error;
    const { operationId } = error.details;
    story.say("", `recovering it by its id ${operationId}`);
    provisioner.failing = false;
    const recovered = await runtime.recover(operationId);
    const { len } = await runtime.state.store.head(recovered.sessionId);
    if (len !== recovered.messageCount)
      story.fail("a recovered fork should hold every message it was committed with");
  }
}
