import { ownSurvivors } from "../tools/survivors.ts";
import { warn } from "./terminal/output-format.ts";

/** Programs that are named one by one. */
const MOST = 20;

/** For the end of a command: names what its tools started and nobody could contain. */
export async function nameSurvivors(): Promise<void> {
  const survivors = await ownSurvivors();
  for (const { pid, command } of survivors.slice(0, MOST))
    warn(`process ${pid} goes on, though its tool has ended: it left its group: ${command}`);
  if (survivors.length > MOST) warn(`so do ${survivors.length - MOST} more; basis doctor names them`);
}
