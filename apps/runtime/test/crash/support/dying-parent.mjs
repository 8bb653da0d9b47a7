// Delegates through the library, and is killed when the child has parked and its parent is about to keep that it waits.
// Arguments: data directory, workspace, directory of the configuration, what `--model` takes.
import { createRuntime, openModelSource, openState, openWorkspaceFacts } from "../../../dist/index.js";

const [dataDir, directory, configDir, model] = process.argv.slice(2);
const state = await openState(dataDir);
const store = {
  ...state.store,
  update(sessionId, change) {
    if (change.sideState?.some(({ kind }) => kind === "runtime.waiting_children")) {
      process.kill(process.pid, "SIGKILL");
      return new Promise(() => undefined);
    }
    return state.store.update(sessionId, change);
  },
};
const runtime = createRuntime({
  state: { ...state, store },
  models: await openModelSource(model),
  approver: {
    name: "the operator",
    approve: ({ toolName }) => ({ decision: toolName === "spawn" ? "allow" : "park" }),
  },
});
const facts = await openWorkspaceFacts({ directory, configDir, env: process.env, report: () => undefined });
await (await runtime.prepare(facts)).run("go on");
