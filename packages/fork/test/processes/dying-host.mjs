// A host that forks `planner` into `child` and is killed at the point it is told: dying-host.mjs STORE POINT
import { createForks } from "@mobkit/fork";
import { openSqliteStore } from "@mobkit/session-sqlite";

const [path, point] = process.argv.slice(2);

function pass(name) {
  if (name === point) process.kill(process.pid, "SIGKILL");
}

/** The call with a point before it and one after it. */
function around(name, call) {
  return async (request) => {
    pass(`before ${name}`);
    const answer = await call(request);
    pass(`after ${name}`);
    return answer;
  };
}

const real = await openSqliteStore(path);
const { commit, seat } = real.forks;
const store = {
  ...real,
  forks: { ...real.forks, commit: around("commit", commit), seat: around("seat", seat) },
};
const provision = around("build", async () => ({ agentIdentity: "first" }));
const forks = createForks({ store, provisioner: { provision }, claimTtlMs: 1 });
const spec = { identity: "child", role: "general", initialMessage: "go on" };
await forks.forkMember("planner", spec, { idempotencyKey: "key-1" });
process.stdout.write("done\n");
