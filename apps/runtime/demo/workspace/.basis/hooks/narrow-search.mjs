// Keeps searches inside the packages: a search of the whole repository is rewritten, any other passes.
import { answer, readRequest } from "./read-request.mjs";

const { input } = await readRequest();
if (input.path === undefined || input.path === ".") {
  answer({
    decision: "modify",
    input: { ...input, path: "packages" },
    reason: "searches stay inside packages",
  });
} else {
  answer({ decision: "allow" });
}
