// Writes events into the log of a data directory, as another process's runs do, in batches of several sessions.
// Arguments: data directory, sessions between commas, batches.
import { setTimeout as sleep } from "node:timers/promises";
import { openState } from "../../../dist/index.js";

const [dataDir, sessions, batches] = process.argv.slice(2);
const state = await openState(dataDir);
process.stdout.write("ready\n");
for (let batch = 1; batch <= Number(batches); batch += 1) {
  for (const session of sessions.split(",")) {
    state.events.emit({ session }, "notice", { text: `${session} ${batch}` });
    if (batch % 3 === 0) state.events.emit({ session }, "notice", { text: "and more" });
  }
  if (!(await state.events.flush())) batch -= 1;
  await sleep(batch % 5);
}
await state.close();
