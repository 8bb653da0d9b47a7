// Delegates through the library under limits. Given no session it begins one, and is killed when its second own child is
// about to write its first row; given one it goes on there and prints how that ended.
// Arguments: data directory, workspace, directory of the configuration, what `--model` takes, most tokens, session, prompt.
import { createRuntime, openModelSource, openState, openWorkspaceFacts } from "../../../dist/index.js";

const [dataDir, directory, configDir, model, maxTokens, sessionId, prompt] = process.argv.slice(2);
const state = await openState(dataDir);
let child;
const store = {
  ...state.store,
  async createSession(request) {
    const session = await state.store.createSession(request);
    if (request.role === "child") child = session.id;
    return session;
  },
  append(id, change) {
    if (sessionId === undefined && id === child) {
      process.kill(process.pid, "SIGKILL");
      return new Promise(() => undefined);
    }
    return state.store.append(id, change);
  },
};
const runtime = createRuntime({
  state: { ...state, store },
  models: await openModelSource(model),
  approver: { name: "the operator", approve: () => ({ decision: "allow" }) },
  limits: { maxPerRun: 4, maxTokens: Number(maxTokens) },
  nameChild: ({ task }) => task,
});
const facts = await openWorkspaceFacts({ directory, configDir, env: process.env, report: () => undefined });
const turn = await runtime.prepare(facts, { sessionId });
const { outcome, stoppedBy } = await turn.run(sessionId === undefined ? "go on" : prompt);
const results = [];
for await (const { body } of state.store.read(turn.sessionId))
  if (body.role === "tool") results.push(...body.content.map(({ output }) => output.value));
process.stdout.write(JSON.stringify({ outcome, stoppedBy, results }));
await facts.close();
await runtime.close();
