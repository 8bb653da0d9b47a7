// Forks a member through the library, and is killed between the fork's commit and its seat.
// Arguments: data directory, source member, name of the fork.
import { createRuntime, openState } from "../../../dist/index.js";

const [dataDir, source, identity] = process.argv.slice(2);
const runtime = createRuntime({
  state: await openState(dataDir),
  models: undefined,
  approver: { name: "nobody", approve: () => ({ decision: "deny" }) },
  provisioner: {
    provision: () => {
      process.kill(process.pid, "SIGKILL");
      return new Promise(() => undefined);
    },
  },
});
await runtime.fork(source, { identity, role: "main", launchMode: "fresh" });
