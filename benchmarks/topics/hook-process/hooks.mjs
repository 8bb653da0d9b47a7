import { own } from "../../harness/places.mjs";
import { CALL, writeScript } from "./script.mjs";

/** The same program as a hook of `openHooks`: own process group, deadline, capped output, checked answer. */
export async function open(_variant, { work }) {
  const { openHooks } = await own("packages/hooks/dist/node/index.js");
  const specs = [{ name: "guard", command: ["sh", writeScript(work)] }];
  const chain = await openHooks({ workspace: work, specs, discovery: false });
  return {
    async run(count) {
      for (let at = 0; at < count; at += 1) {
        const outcome = await chain.beforeCall(CALL);
        if (outcome.decision !== "allow") throw new Error(outcome.reason);
      }
    },
    close: () => chain.close(),
  };
}
