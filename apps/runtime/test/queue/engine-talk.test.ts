import { expect, it } from "vitest";
import { EngineTalk } from "../../src/queue/engine/engine-talk.ts";

it("says once that the database is away, whatever of the engine meets it, and once that it is back", () => {
  const told: string[] = [];
  const talk = new EngineTalk((text) => told.push(text));
  const { warn } = talk.logger;
  talk.answered();
  talk.connectionLost(new Error("read ECONNRESET"));
  warn("Error getting startable workflows for queue turns.default: connect ECONNREFUSED 127.0.0.1:5432");
  warn("Error listing database-backed queues: connect ECONNREFUSED 127.0.0.1:5432");
  warn("Database connection failed: the database system is starting up. Retrying in 0.13s (attempt 2)");
  talk.answered();
  talk.answered();
  warn("Database connection failed: connect ECONNREFUSED 127.0.0.1:5432. Retrying in 0.10s (attempt 1)");
  expect(told).toEqual([
    "queue: its database did not do what it was asked (read ECONNRESET); turns wait until it answers",
    expect.stringMatching(/^queue: its database answers again, after \d+ s$/),
    "queue: its database did not do what it was asked (connect ECONNREFUSED 127.0.0.1:5432); turns wait until it answers",
  ]);
});

it("tells other troubles, each once, and nothing of what concerns nobody", () => {
  const told: string[] = [];
  const { warn, info, error } = new EngineTalk((text) => told.push(text)).logger;
  warn("Workflow turn-1 is no longer owned by this executor");
  warn("Contention detected in queue turns.default.");
  for (let time = 0; time < 3; time += 1)
    warn(new Error("Could not execute workflow with id turn-2: no such function"));
  info("DBOS launched!");
  error("the same again, with its stack");
  expect(told).toEqual(["queue: Could not execute workflow with id turn-2: no such function"]);
});
