import type { Model } from "./model.ts";
import { ModelError } from "./model-error.ts";
import type { ModelSource } from "./model-source.ts";

/** The models of a process that leaves every turn to workers: there is none, and nobody is asked. */
export const noModels: ModelSource = Object.freeze({
  get main(): Model {
    return refuse();
  },
  open: refuse,
  isRegistered: () => false,
});

function refuse(): never {
  throw new ModelError("no_model", "this server queues turns and has no model of its own", {
    details: {},
  });
}
