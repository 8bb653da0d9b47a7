// Masks what looks like a key in a result, before the model or the transcript sees it.
import { answer, readRequest } from "./read-request.mjs";

const { output, is_error } = await readRequest();
const key = /\b(sk|ghp|xoxb)-[A-Za-z0-9_-]{8,}/g;
if (typeof output === "string" && key.test(output)) {
  answer({
    decision: "replace",
    output: output.replace(key, "$1-…masked…"),
    is_error,
    reason: "a key was masked",
  });
} else {
  answer({ decision: "allow" });
}
