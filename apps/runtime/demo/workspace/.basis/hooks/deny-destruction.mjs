// Denies commands that remove things; allows the rest.
import { answer, readRequest } from "./read-request.mjs";

const { input } = await readRequest();
const words = Array.isArray(input.argv) ? input.argv : String(input.input ?? "").split(/\s+/);
if (words.some((word) => /^!?rm$/.test(word))) {
  answer({
    decision: "deny",
    reason: "this repository's files are not removed by an agent; name what is in the way",
  });
} else {
  answer({ decision: "allow" });
}
