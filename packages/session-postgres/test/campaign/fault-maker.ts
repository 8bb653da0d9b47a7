import type { PostgresServer } from "../server/postgres-server.mjs";
import type { LossyProxy } from "../support/lossy-proxy.ts";
import { runSql } from "../support/test-database.ts";
import type { Dice } from "./dice.ts";

/** What faults are made on. */
interface Scene {
  readonly server: PostgresServer;
  readonly proxy: LossyProxy;
  readonly schema: string;
  readonly dice: Dice;
}

const whens = ["before the server", "before the answer"] as const;

/** Breaks something every now and then until told to stop; answers how often. */
export async function makeFaults(scene: Scene, stop: AbortSignal): Promise<number> {
  let faults = 0;
  while (!stop.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 20 + scene.dice(100)));
    await makeFault(scene);
    faults += 1;
  }
  return faults;
}

async function makeFault({ server, proxy, schema, dice }: Scene): Promise<void> {
  const choice = dice(20);
  if (choice < 8) return void proxy.cutNext({ at: "COMMIT", when: whens[dice(2)]! });
  if (choice < 13) return void proxy.cutNext({ at: `mobkit_${schema}`, when: whens[dice(2)]! });
  if (choice < 16) return proxy.cutAll();
  if (choice < 18) return killOne(server.url, schema, dice);
  if (choice < 19) return server.restart();
  await server.stop("SIGKILL");
  return server.start();
}

/** Ends one of the processes that hold something of the schema, whatever it is doing. */
async function killOne(url: string, schema: string, dice: Dice): Promise<void> {
  const holders = await runSql(
    "SELECT DISTINCT pid FROM pg_locks WHERE relation = to_regclass($1 || '.session') AND pid <> pg_backend_pid()",
    { url, values: [schema] },
  );
  if (holders.length === 0) return;
  const { pid } = holders[dice(holders.length)]!;
  await runSql("SELECT pg_terminate_backend($1)", { url, values: [pid] });
}
