const bare = (worker, inFlight) => ({
  id: `bare ${worker}`,
  label: `${worker} at a bare pipe${worker === "cat" ? " (limit)" : ""}`,
  role: "limit",
  file: "hook-worker/bare-pipe.mjs",
  variant: { worker, inFlight },
});

const hook = (worker, inFlight) => ({
  id: worker,
  label: `@basis/hooks, ${worker}`,
  role: "own",
  file: "hook-worker/hooks.mjs",
  variant: { worker, inFlight },
});

const cellOf = (name, inFlight) => ({
  name,
  together: true,
  cases: [
    bare("cat", inFlight),
    bare("by hand", inFlight),
    hook("node kit", inFlight),
    hook("python kit", inFlight),
  ],
});

/** A hook that is a long-lived program, asked line after line. `cat` is the worker in C, `by hand` one in Node. */
export const hookWorker = {
  name: "hook-worker",
  title: "One worker hook, asked and answered",
  unit: "µs",
  sampling: { sampleMs: 10, samples: 25, warmMs: 200 },
  control: { cell: "one at a time", id: "bare cat" },
  cells: [cellOf("one at a time", 1), cellOf("50 in flight", 50)],
};
