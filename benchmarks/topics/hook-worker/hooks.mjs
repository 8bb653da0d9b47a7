import { mkdirSync } from "node:fs";
import { own } from "../../harness/places.mjs";
import { CALL, commandOf, subjectOf } from "./workers.mjs";

/** The same program as a worker hook of `openHooks`: unguessable ids, deadline, capped lines, strict and checked answers, trail. */
export async function open(variant, { work }) {
  mkdirSync(work, { recursive: true });
  const { openHooks } = await own("packages/hooks/dist/node/index.js");
  const specs = [{ name: "guard", mode: "worker", command: commandOf(variant, work) }];
  const chain = await openHooks({ workspace: work, specs, discovery: false });
  return subjectOf(
    () => chain.beforeCall(CALL),
    variant,
    () => chain.close(),
  );
}
