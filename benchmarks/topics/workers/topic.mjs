import { measureWorkers } from "./measure-workers.mjs";

const turns = (workers, label) => ({
  id: String(workers),
  label,
  role: "own",
  variant: { workers, waitMs: 200, turns: 15 },
});

/** Turns that workers of their own processes take from one database; in each a model waits for 200 ms. */
export const workers = {
  name: "workers",
  title: "Queued turns: workers of one turn at a time on one PostgreSQL",
  unit: "ms",
  measure: measureWorkers,
  control: { cell: "turns", id: "1", tolerance: 40 },
  cells: [
    { name: "turns", cases: [turns(1, "a turn, one worker"), turns(4, "a turn, four workers")] },
    {
      name: "dispatch",
      cases: [
        {
          id: "idle",
          label: "from queued to begun, a worker that is idle",
          role: "own",
          variant: { workers: 1, waitMs: 0, turns: 30, oneByOne: true },
        },
      ],
    },
  ],
};
