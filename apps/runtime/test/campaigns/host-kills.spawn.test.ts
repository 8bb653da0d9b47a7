import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { campaignSize, randomOf } from "./campaign-size.ts";
import { ANSWER, ThreeAgents, type Row } from "./three-agents.ts";

/** Each case waits for the dead host's lease, so they do so side by side. */
const AT_ONCE = 20;
const MAX_DELAY_MS = 60;
const HOURS = 6 * 60 * 60 * 1000;
const { seed, from, runs } = campaignSize(20);

const wasInterrupted = (row: Row): boolean =>
  row.kind === "tool" && JSON.stringify(row.message).includes("interrupted: ");

/** Kills a host once it told its n-th event, or a moment later; then lets another go on. Answers whether it was killed in time. */
async function killedOnce(index: number, whole: Whole): Promise<boolean> {
  const random = randomOf(seed, index);
  const host = new ThreeAgents();
  try {
    const first = host.start();
    const event = Math.floor(random() * (whole.events + 1));
    await (event === 0 ? Promise.resolve() : first.saw(`"seq":${event},`)).catch(() => undefined);
    await sleep(Math.floor(random() * (event === 0 ? 10 * MAX_DELAY_MS : MAX_DELAY_MS)));
    first.kill("SIGKILL");
    const { signal } = await first.ended;
    await host.nobodyLeft();
    const rows = await untilEnded(host);
    expect(rows.map(({ kind }) => kind)).toEqual(whole.rows.map(({ kind }) => kind));
    const odd = rows.filter((row, at) => !wasInterrupted(row) && !same(row, whole.rows[at]!));
    expect(odd).toEqual([]);
    expect(Object.values(host.ran()).filter((times) => times !== 1)).toEqual([]);
    // Whoever was not interrupted ran.
    expect(rows.some(wasInterrupted) ? whole.ran : host.ran()).toEqual(whole.ran);
    await host.nobodyLeft();
    return signal === "SIGKILL";
  } catch (error) {
    throw new Error(`npm run campaign -- host-kills --seed ${seed} --from ${index} --runs 1`, {
      cause: error,
    });
  } finally {
    host.bench.remove();
  }
}

async function untilEnded(host: ThreeAgents): Promise<readonly Row[]> {
  const session = await host.session();
  const before = session === undefined ? [] : await host.rows(session);
  if (before.at(-1)?.kind === "assistant" && JSON.stringify(before.at(-1)!.message).includes(ANSWER))
    return before;
  // Killed before its prompt was kept: it is given again.
  const next = host.start(before.length === 0 ? undefined : session);
  const { code, stdout, stderr } = await next.ended;
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
  const [, own] = /"session":"([^"]+)"/.exec(stdout) ?? [];
  return host.rows(own!);
}

function same(one: Row, other: Row): boolean {
  return JSON.stringify(one.message) === JSON.stringify(other.message);
}

/** The run that nobody kills. */
interface Whole {
  readonly rows: readonly Row[];
  readonly ran: Readonly<Record<string, number>>;
  readonly events: number;
}

async function undisturbed(): Promise<Whole> {
  const host = new ThreeAgents();
  const ended = await host.start().ended;
  expect(ended.code).toBe(0);
  const session = (await host.session())!;
  const events = ended.events().filter((event) => event.session === session).length;
  const whole = { rows: await host.rows(session), ran: host.ran(), events };
  await host.nobodyLeft();
  host.bench.remove();
  return whole;
}

// Recovery: runtime.md 1 and 9, S40.
test(`${runs} hosts killed at a random moment go on to the same end`, { timeout: HOURS }, async () => {
  const whole = await undisturbed();
  expect(whole.ran).toEqual({ main: 1, first: 1, second: 1 });
  const waiting = Array.from({ length: runs }, (_, at) => from + at);
  const problems: unknown[] = [];
  let killed = 0;
  const worker = async (): Promise<void> => {
    for (let index = waiting.shift(); index !== undefined; index = waiting.shift())
      await killedOnce(index, whole).then(
        (inTime) => (killed += Number(inTime)),
        (error: unknown) => problems.push(error),
      );
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (problems.length > 0) throw new AggregateError(problems, problems.map(inWords).join("\n"));
  expect(killed).toBeGreaterThan(runs / 2);
});

function inWords(problem: unknown): string {
  const { message, cause } = problem as Error;
  return `${message}\n  ${String((cause as Error | undefined)?.message)
    .split("\n")
    .slice(0, 12)
    .join("\n  ")}`;
}
