import type { CommandGroup } from "../arguments/command.ts";
import { storeMigrateCommand } from "./store-migrate-command.ts";

/** `basis store`. */
export const storeCommand: CommandGroup = {
  name: "store",
  about: "Move what is kept to another place.",
  commands: { migrate: storeMigrateCommand },
};
